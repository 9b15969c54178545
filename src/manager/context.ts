import { join } from 'node:path';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { ConfigPlace, Settings } from '../core/rules/policy.ts';
import { userStateHome } from '../core/user-places.ts';
import {
  directoryMark,
  ensureStateDir,
  locateStateDir,
  openStateDir,
  projectRootOf,
} from '../store/locate.ts';
import { marksDir, readMarks } from '../store/seen.ts';
import { callerOf } from './caller.ts';

/** Everything that the manager needs from outside; `main` and `index` make one. */
export interface ManagerContext {
  /** Absolute path. */
  readonly cwd: string;
  /** What agents inherit; also `ZWARM_*`, `XDG_*`, `HOME`, `PATH`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** Absolute path from `--state-dir`, or null. */
  readonly stateDir: string | null;
  /** The name of the MCP client that asks; null for the command line and the library. */
  readonly client: string | null;
  /** The root of the project, a real path, where it was found once and for all; null leaves it to the directory. */
  readonly projectRoot: string | null;
  /** What the configuration comes to. @throws ZwarmError `config` where a file cannot be understood */
  loadSettings(place: ConfigPlace): Promise<Settings>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new session id. */
  newId(): string;
  /** A random word of at least 100 bits, for marks and temporary names. */
  newNonce(): string;
  readonly paths: RuntimePaths;
}

/** Where a project is. */
export interface Place {
  /** Absolute path. */
  readonly stateDir: string;
  /** A real path. */
  readonly projectRoot: string;
}

/** Where the parts of this installation lie; absolute paths. */
export interface RuntimePaths {
  readonly node: string;
  /** `bin/zwarm.js`: what the turn runner calls when a turn has ended. */
  readonly cli: string;
  readonly runner: string;
  readonly demoAgent: string;
}

/** An opened state directory. */
export interface Store {
  /** Its real path. */
  readonly root: string;
  /** Names it in the marks of its turns: the same by whatever path it is reached, another one for a copy. */
  readonly mark: string;
  readonly sealsDir: string;
  /** Where the seen marks of all callers are kept. */
  readonly seenDir: string;
  /** The newest turn of each session whose end this caller has seen; null where nobody can tell. */
  readonly seen: ReadonlyMap<SessionId, number> | null;
}

/** Where the user's own state is kept, such as seals. @throws ZwarmError `usage` where no home is known */
export function userStateDir(env: ManagerContext['env']): string {
  const home = userStateHome(env);
  if (home !== null) return home;
  throw new ZwarmError('usage', 'neither HOME nor XDG_STATE_HOME is set', 'set HOME to your home directory');
}

/** The state directory that was named with `--state-dir` or `ZWARM_DIR`, absolute; null leaves it to the directory. */
export function explicitStateDir({ cwd, env, stateDir }: ManagerContext): string | null {
  if (stateDir !== null) return stateDir;
  const named = env['ZWARM_DIR'];
  if (!named) return null;
  return named.startsWith('/') ? named : join(cwd, named);
}

const seenBelow = (userState: string): string => join(userState, 'zwarm', 'seen');

function open(context: ManagerContext, path: string, forWriting: boolean): Store {
  const root = openStateDir(path, context.uid, forWriting);
  let seen: Store['seen'] | undefined;
  // Worked out when they are needed: readers need no seals.
  return {
    root,
    mark: directoryMark(root),
    get sealsDir() {
      return join(userStateDir(context.env), 'zwarm', 'seals');
    },
    get seenDir() {
      return seenBelow(userStateDir(context.env));
    },
    get seen() {
      if (seen !== undefined) return seen;
      const home = userStateHome(context.env);
      seen = home === null ? null : readMarks(marksDir(seenBelow(home), callerOf(context).source, root));
      return seen;
    },
  };
}

/** Where the project is that a context leads to now. */
export function placeOf(context: ManagerContext): Place {
  return {
    stateDir: locateStateDir(context.cwd, explicitStateDir(context)).path,
    projectRoot: context.projectRoot ?? projectRootOf(context.cwd),
  };
}

/** The store for a reading verb, or null where there is none yet: readers never create it. */
export function openForReading(context: ManagerContext): Store | null {
  const place = locateStateDir(context.cwd, explicitStateDir(context));
  return place.exists ? open(context, place.path, false) : null;
}

/** The store for a verb that reads sessions which must be there. @throws ZwarmError `not_found` where there is none */
export function openExisting(context: ManagerContext): Store {
  return openForReading(context) ?? noSessions();
}

function noSessions(): never {
  throw new ZwarmError('not_found', 'there are no sessions here', 'start one: zwarm start "task"');
}

/** The store for a verb that changes sessions. @throws ZwarmError `not_found` where there is none */
export function openForWriting(context: ManagerContext): Store {
  const place = locateStateDir(context.cwd, explicitStateDir(context));
  return place.exists ? open(context, place.path, true) : noSessions();
}

/** The store for a new session; created where there is none. */
export function openOrCreate(context: ManagerContext): Store {
  // Without a place for seals nothing is created at all.
  userStateDir(context.env);
  const place = locateStateDir(context.cwd, explicitStateDir(context));
  if (place.exists) open(context, place.path, true);
  ensureStateDir(place.path, context.newNonce());
  return open(context, place.path, true);
}
