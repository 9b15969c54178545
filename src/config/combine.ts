import {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_SESSIONS,
  DEFAULT_SANDBOX,
  defaultDirectories,
  isAllowedDirectory,
  type Policy,
  type Settings,
} from '../core/rules/policy.ts';
import { SANDBOXES } from '../core/session.ts';
import type { Directory } from './directories.ts';
import { type Given, KEYS, type Key } from './values.ts';

/** A file, read and understood. */
export interface Source {
  /** Its path, by which people know it. */
  readonly origin: string;
  readonly values: Given;
  /** Where its `allowed_dirs` lead to; none where it has no such key. */
  readonly directories: readonly Directory[];
}

/** Everything that has a say. */
export interface Sources {
  /** A real path. */
  readonly projectRoot: string;
  /** The user's home, a real path, or null. */
  readonly home: string | null;
  readonly user: Source | null;
  readonly project: Source | null;
  /** Whether the user has trusted the project's file as it is now. */
  readonly trusted: boolean;
  /** What variables of the environment say. */
  readonly preferences: { readonly [K in Preference]?: Values<K> | undefined };
}

type Values<K extends Key> = NonNullable<Given[K]>;

/** The keys that a variable of the environment sets as well. */
export type Preference = 'agent' | 'model' | 'sandbox' | 'wait_sec';

/** The variable of each. */
export const PREFERENCES: readonly { readonly key: Preference; readonly variable: string }[] = [
  { key: 'agent', variable: 'ZWARM_AGENT' },
  { key: 'model', variable: 'ZWARM_MODEL' },
  { key: 'sandbox', variable: 'ZWARM_SANDBOX' },
  { key: 'wait_sec', variable: 'ZWARM_WAIT_SEC' },
];

export type Value = Values<Key> | null;

/** What a key comes to, and who says so: `default`, the path of a file or the name of a variable. */
export interface Entry {
  readonly key: Key;
  readonly value: Value;
  readonly origin: string;
}

/** What somebody has said in vain. */
export interface Ignored extends Entry {
  readonly reason: string;
}

/** What all sources come to. */
export interface Combined {
  /** Every key once. */
  readonly entries: readonly Entry[];
  readonly ignored: readonly Ignored[];
  readonly settings: Omit<Settings, 'notices'>;
}

interface Choice<T extends Value> {
  readonly value: T;
  readonly origin: string;
  /** What the project says in vain. */
  readonly ignored: { readonly value: Value; readonly reason: string } | null;
}

const DEFAULT = 'default';
const USER_ONLY = 'only your own file decides this';
const UNTRUSTED = 'an agent could have written that; see: zwarm config trust';

/** What the project wants is taken where it is narrower than what holds without it, and never where it is wider. */
function narrowed<T extends Value>(
  mine: Choice<T>,
  project: Source | null,
  wanted: T | undefined,
  width: (value: T) => number,
): Choice<T> {
  if (project === null || wanted === undefined) return mine;
  const more = width(wanted) - width(mine.value);
  if (more < 0) return { value: wanted, origin: project.origin, ignored: null };
  const reason = `a project may narrow ${JSON.stringify(mine.value)}, never widen it`;
  return more === 0 ? mine : { ...mine, ignored: { value: wanted, reason } };
}

/** A program and an argument: the project's wish counts only while the user trusts its file. */
function trusted<T extends Value>(
  mine: Choice<T>,
  project: Source | null,
  wanted: T | undefined,
  isTrusted: boolean,
): Choice<T> {
  if (project === null || wanted === undefined || wanted === mine.value) return mine;
  if (isTrusted) return { value: wanted, origin: project.origin, ignored: null };
  return { ...mine, ignored: { value: wanted, reason: UNTRUSTED } };
}

/** What only the user decides: the project's wish has no effect. */
function usersAlone<T extends Value>(mine: Choice<T>, wanted: T | undefined): Choice<T> {
  if (wanted === undefined || wanted === mine.value) return mine;
  return { ...mine, ignored: { value: wanted, reason: USER_ONLY } };
}

/** A variable goes before both files. */
function preferred<T extends Value>(choice: Choice<T>, key: Preference, value: T | undefined): Choice<T> {
  const variable = PREFERENCES.find((one) => one.key === key)?.variable;
  return value === undefined || variable === undefined ? choice : { ...choice, value, origin: variable };
}

const pathsOf = (directories: readonly Directory[]): string[] =>
  directories.flatMap((one) => ('path' in one ? one.path : []));

/** Where agents may work: the lists that must all allow it, and what people are told. */
function directories({ projectRoot, home, user, project }: Sources): {
  readonly lists: Policy['allowedDirs'];
  readonly choice: Choice<readonly string[]>;
} {
  const given = user?.values.allowed_dirs !== undefined;
  const mine = given ? pathsOf(user.directories) : defaultDirectories(projectRoot, home);
  const choice = { value: mine, origin: given ? user.origin : DEFAULT, ignored: null };
  if (project?.values.allowed_dirs === undefined) return { lists: [mine], choice };
  const isOutside = (path: string) => !isAllowedDirectory({ allowedDirs: [mine] }, path);
  const outside = project.directories.filter((one) => 'path' in one && isOutside(one.path));
  const ignored =
    outside.length === 0
      ? null
      : {
          value: outside.map(({ entry }) => entry),
          reason: 'it lies outside of what you allow; a project may narrow that, never widen it',
        };
  // A list of nothing but such entries would leave nothing at all: it counts as not given.
  if (ignored !== null && outside.length === project.directories.length)
    return { lists: [mine], choice: { ...choice, ignored } };
  const theirs = pathsOf(project.directories).filter((path) => !isOutside(path));
  return { lists: [mine, theirs], choice: { value: theirs, origin: project.origin, ignored } };
}

/**
 * Who wins, and why. The policy is the user's, and the project may narrow it: an agent can write the project's file.
 * Variables choose defaults and never touch the policy: an agent sets its own environment.
 */
export function combine(sources: Sources): Combined {
  const { user, project, preferences } = sources;
  const own = <T extends Value>(value: T | undefined, fallback: T): Choice<T> =>
    user === null || value === undefined
      ? { value: fallback, origin: DEFAULT, ignored: null }
      : { value, origin: user.origin, ignored: null };
  const mine: Given = user?.values ?? {};
  const theirs: Given = project?.values ?? {};

  const agent = preferred(
    trusted(own<string | null>(mine.agent, null), project, theirs.agent, sources.trusted),
    'agent',
    preferences.agent,
  );
  const model = preferred(
    trusted(own<string | null>(mine.model, null), project, theirs.model, sources.trusted),
    'model',
    preferences.model,
  );
  const widest = narrowed(own(mine.sandbox, DEFAULT_SANDBOX), project, theirs.sandbox, (sandbox) =>
    SANDBOXES.indexOf(sandbox),
  );
  const sandbox = preferred(widest, 'sandbox', preferences.sandbox);
  const allowed = directories(sources);
  const depth = narrowed(own(mine.max_depth, DEFAULT_MAX_DEPTH), project, theirs.max_depth, Number);
  const quota = own(mine.max_sessions, DEFAULT_MAX_SESSIONS);
  const sessions = narrowed(quota, project, theirs.max_sessions, Number);
  const endOthers = narrowed(own(mine.end_others, false), project, theirs.end_others, Number);
  const wait = narrowed(
    own<number | null>(mine.wait_sec, null),
    project,
    theirs.wait_sec,
    (seconds) => seconds ?? Number.POSITIVE_INFINITY,
  );
  const waitSec = preferred(wait, 'wait_sec', preferences.wait_sec);

  const reachable = usersAlone(own(mine.reachable_state, false), theirs.reachable_state);

  const choices: { readonly [K in Key]: Choice<Value> } = {
    agent,
    model,
    sandbox,
    allowed_dirs: allowed.choice,
    max_depth: depth,
    max_sessions: sessions,
    end_others: endOthers,
    wait_sec: waitSec,
    reachable_state: reachable,
  };
  return {
    entries: KEYS.map((key) => ({ key, value: choices[key].value, origin: choices[key].origin })),
    ignored: KEYS.flatMap((key) => {
      const { ignored } = choices[key];
      if (ignored === null || project === null) return [];
      return [{ key, value: ignored.value, origin: project.origin, reason: ignored.reason }];
    }),
    settings: {
      agent: agent.value,
      model: model.value,
      sandbox: sandbox.value,
      waitSec: waitSec.value,
      reachableState: reachable.value,
      policy: {
        allowedDirs: allowed.lists,
        sandbox: widest.value,
        maxDepth: depth.value,
        maxSessions: sessions.value,
        endOthers: endOthers.value,
      },
    },
  };
}
