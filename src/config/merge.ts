import type { Budget } from '../core/rules/budget.ts';
import type { Filling } from '../core/rules/filling.ts';
import { defaultDirectories, isAllowedDirectory, type Policy } from '../core/rules/policy.ts';
import type { Directory } from './directories.ts';
import { KEY_NAMES, type Key } from './key-names.ts';
import { type Given, KEYS, type Values } from './keys.ts';

/** A file, read and understood; nothing of one that is not there. */
export interface Source {
  /** Its path, by which people know it. */
  readonly origin: string;
  readonly values: Given;
  /** Where its `allowed_dirs` lead to. */
  readonly directories: readonly Directory[];
  readonly budgets: readonly Budget[];
  /** Of the project alone: what it wants in its new worktrees. */
  readonly filling: Pick<Filling, 'copy' | 'clone' | 'setup' | 'timeoutS'> | null;
  /** Unknown keys, and directories that allow nothing. */
  readonly notices: readonly string[];
}

/** Everything that has a say. */
export interface Sources {
  /** A real path. */
  readonly projectRoot: string;
  /** The user's home, a real path, or null. */
  readonly home: string | null;
  readonly user: Source;
  readonly project: Source;
  /** Whether the user has trusted the project's file as it is now. */
  readonly trusted: boolean;
  /** What the variables of the environment say. */
  readonly variables: Given;
}

/** The value of a key, and who says so: `default`, the path of a file or the name of a variable. */
export interface Entry<K extends Key = Key> {
  readonly key: K;
  readonly value: Values[K];
  readonly origin: string;
}

/** What the project says without effect. */
export interface Ignored extends Entry {
  readonly reason: string;
}

/** What the two files say of a key. */
interface Held<K extends Key> {
  readonly entry: Entry<K>;
  readonly ignored: Ignored | null;
}

/** The user's value, else a default. */
function ofUser<K extends Key>(key: K, { values, origin }: Source, fallback: Values[K]): Entry<K> {
  const value = values[key];
  return value === undefined ? { key, value: fallback, origin: 'default' } : { key, value, origin };
}

function ofFiles<K extends Key>(key: K, { user, project, trusted }: Sources): Held<K> {
  const { fallback, refusal } = KEYS[key];
  const entry = ofUser(key, user, fallback);
  const value = project.values[key];
  if (value === undefined || value === entry.value) return { entry, ignored: null };
  const wish = { key, value, origin: project.origin };
  const reason = refusal(value, entry.value, trusted);
  return reason === null ? { entry: wish, ignored: null } : { entry, ignored: { ...wish, reason } };
}

const pathsOf = (directories: readonly Directory[]): string[] =>
  directories.flatMap((one) => ('path' in one ? one.path : []));

/** Where agents may work: the lists that must all allow it, and what people see of them. */
function allowedDirs({ projectRoot, home, user, project }: Sources): Held<'allowed_dirs'> & {
  readonly lists: Policy['allowedDirs'];
} {
  const key = 'allowed_dirs';
  const given = ofUser(key, user, defaultDirectories(projectRoot, home));
  const mine = user.values[key] === undefined ? given.value : pathsOf(user.directories);
  const entry = { ...given, value: mine };
  if (project.values[key] === undefined) return { lists: [mine], entry, ignored: null };
  const { origin, directories } = project;
  const isOutside = (path: string): boolean => !isAllowedDirectory({ allowedDirs: [mine] }, path);
  const outside = directories.filter((one) => 'path' in one && isOutside(one.path));
  const reason = 'it lies outside of what you allow; a project may narrow that, never widen it';
  const ignored: Ignored | null =
    outside.length === 0 ? null : { key, value: outside.map((one) => one.entry), origin, reason };
  // A list of nothing but such entries would leave nothing at all: it counts as not given.
  if (ignored !== null && outside.length === directories.length) return { lists: [mine], entry, ignored };
  const theirs = pathsOf(directories).filter((path) => !isOutside(path));
  return { lists: [mine, theirs], entry: { key, value: theirs, origin }, ignored };
}

/** A path in which `~` stands for the user's home; null where that is not known. */
function inHome(path: string | null, home: string | null): string | null {
  if (path === null || path.startsWith('/')) return path;
  return home === null ? null : home + path.slice(1);
}

/** Who wins, and why: each key once, and what the project says without effect. The policy is the user's, and the project may narrow it. */
export function merge(sources: Sources) {
  const directories = allowedDirs(sources);
  const held = <K extends Key>(key: K): Held<K> => ofFiles(key, sources);
  const final = <K extends Key>(key: K): Entry<K> => {
    const value = sources.variables[key];
    const origin = KEYS[key].variable;
    return value === undefined || origin === undefined ? held(key).entry : { key, value, origin };
  };
  const merged: readonly Held<Key>[] = KEY_NAMES.map((key) =>
    key === 'allowed_dirs' ? directories : { entry: final(key), ignored: held(key).ignored },
  );
  const notifyBy = held('notify').entry.value;
  return {
    entries: merged.map(({ entry }) => entry),
    ignored: merged.flatMap(({ ignored }) => ignored ?? []),
    settings: {
      agent: final('agent').value,
      model: final('model').value,
      sandbox: final('sandbox').value,
      waitSec: final('wait_sec').value,
      maxRunning: held('max_running').entry.value,
      // That of a project cannot widen anything, as those of the user hold besides.
      budgets: [...sources.user.budgets, ...sources.project.budgets],
      reachable: {
        reachable_state: held('reachable_state').entry.value,
        reachable_installation: held('reachable_installation').entry.value,
      },
      worktreeDir: inHome(held('worktree_dir').entry.value, sources.home),
      notify:
        notifyBy === null
          ? null
          : {
              to: notifyBy,
              events: held('notify_events').entry.value,
              quietHours: held('quiet_hours').entry.value,
            },
      policy: {
        allowedDirs: directories.lists,
        sandbox: held('sandbox').entry.value,
        maxDepth: held('max_depth').entry.value,
        maxSessions: held('max_sessions').entry.value,
        endOthers: held('end_others').entry.value,
        unconfined: held('unconfined').entry.value,
        allowLand: held('allow_land').entry.value,
      },
    },
  };
}
