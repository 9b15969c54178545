import { isAbsolute, resolve } from 'node:path';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { ConfigPlace, Settings } from '../core/rules/policy.ts';
import type { Prices } from '../core/spending.ts';
import { isoTime } from '../core/time.ts';
import { parseMark } from '../core/turn-mark.ts';
import { userStateDirectory } from '../core/user-places.ts';
import { hostIdentity, MARK_VARIABLE } from '../process/identity.ts';
import { identityOfDirectory, whereaboutsOf } from '../store/directory-identity.ts';
import { projectFile, stateOf } from '../store/layout.ts';
import { type MovedStore, movedTo } from '../store/moved-store.ts';
import { readNames } from '../store/names.ts';
import {
  createStore,
  isSound,
  isWritable,
  type KnownStore,
  listStores,
  noteWhereItIs,
  requirePrivate,
  requireUsable,
  storeAt,
} from '../store/project-store.ts';
import { DamagedRecord, unlessDamaged } from '../store/read-file.ts';
import { isOpenDirectory } from '../store/real-path.ts';
import type { ProjectRecord } from '../store/records.ts';
import { marksDir, readMarks } from '../store/seen.ts';
import { readRequest } from '../store/sessions.ts';
import {
  findProject,
  isElsewhere,
  type Project,
  placeOf,
  rootOfProject,
  withStore,
} from '../store/which-project.ts';
import { callerOf, isUsers } from './access/caller.ts';

/** Everything that the manager needs from outside; `main` and `index` make one. Paths are absolute. */
export interface ManagerContext {
  readonly cwd: string;
  /** What agents inherit; also `ZWARM_*`, `XDG_*`, `HOME`, `PATH`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** From `--state-dir`, in place of `$XDG_STATE_HOME/zwarm`; or null. */
  readonly stateDir: string | null;
  /** Who asks, as `source` of a session: `mcp:<client>`, or `lib:<client>`; null where nobody has said a name. */
  readonly client: string | null;
  /** The project, where it was found once and for all; null leaves it to the directory. */
  readonly project: Project | null;
  /** What models cost, in the user's own configuration. */
  loadPrices(env: ManagerContext['env']): Promise<Prices>;
  /** The merged configuration. @throws ZwarmError `config` where a file cannot be understood */
  loadSettings(place: ConfigPlace): Promise<Settings>;
  now(): number;
  newId(): SessionId;
  /** A random word of at least 100 bits, for marks and temporary names. */
  newNonce(): string;
  readonly paths: RuntimePaths;
  /** How long to wait for a runner's sign of life; it takes some milliseconds on an idle machine. */
  readonly signOfLifeMs: number;
}

/** Where the parts of this installation lie. */
export interface RuntimePaths {
  readonly node: string;
  /** `bin/zwarm.js`: what the turn runner calls when a turn has ended. */
  readonly cli: string;
  readonly runner: string;
  /** `bin/waker.sh` */
  readonly waker: string;
  readonly windowMaker: string;
  readonly demoAgent: string;
  /** The directory of the scripts by which shells complete, each with the name of its shell. */
  readonly completion: string;
}

/** An opened store. */
export interface Store {
  /** Its directory, and the state directory in which it lies. */
  readonly root: string;
  readonly state: string;
  /** Its random id, by which the marks of its turns name it. */
  readonly id: string;
  /** The root of that project, from which sessions record their directories. */
  readonly projectRoot: string;
  /** Whether nobody knows where that project is now. */
  readonly isGone: boolean;
  readonly names: ReadonlyMap<SessionId, string>;
  /** Who has opened it, as `source` of a session. */
  readonly caller: string;
  /** The newest turn of each session whose end this caller has seen; null where that cannot be told. */
  readonly seen: ReadonlyMap<SessionId, number> | null;
  /** Of whoever has opened it: where agents keep their own files. */
  readonly env: ManagerContext['env'];
  /** What models cost. */
  prices(): Promise<Prices>;
}

/** A session: the opened store that it lies in, and its id. */
export interface Session {
  readonly store: Store;
  readonly id: SessionId;
}

/** A turn of a session. */
export interface Turn extends Session {
  readonly turn: number;
}

/** zwarm's state directory by the environment alone; null where no home is known. */
export function stateDirectoryIn({ cwd, env }: ManagerContext): string | null {
  // What agents get in their environment is not the user's choice.
  const named = env['ZWARM_SESSION_ID'] ? undefined : env['ZWARM_DIR'];
  return named ? resolve(cwd, named) : userStateDirectory(env);
}

/** zwarm's state directory. @throws ZwarmError `usage` where no home is known */
export function stateDirectory(context: ManagerContext): string {
  const own = storeOfTurn(context)?.root ?? context.project?.root;
  if (own !== undefined) return stateOf(own);
  const path = context.stateDir ?? stateDirectoryIn(context);
  if (path !== null) return path;
  throw new ZwarmError('usage', 'neither HOME nor XDG_STATE_HOME is set', 'set HOME to your home directory');
}

/** The error of a store whose own record cannot be read. */
export function damagedStoreError(root: string, cause: DamagedRecord): ZwarmError {
  const what = `${projectFile(root)} cannot be read: ${cause.message}`;
  const hint = `put a copy of that file back; to start again without these sessions, move ${root} away`;
  return new ZwarmError('damaged', what, hint, cause);
}

/** Opens a store; `path` is that of its project where it is known better than from the record. @throws ZwarmError */
export function openStore(
  context: ManagerContext,
  { root, record }: KnownStore,
  forWriting: boolean,
  path?: string,
): Store {
  const state = stateOf(root);
  requireUsable(state, root, context, forWriting);
  if (forWriting) requireOutside(context, root);
  if (record instanceof DamagedRecord) throw damagedStoreError(root, record);
  const { store_id: id } = record;
  const { source: caller } = callerOf(context);
  let where: string | null | undefined;
  const whereabouts = (): string | null => (where ??= path ?? whereaboutsOf(record));
  // Most records name no other place, and are not asked.
  const at = path ?? (record.seen_at === null ? record.path : (whereabouts() ?? record.path));
  let names: Store['names'] | undefined;
  let seen: Store['seen'] | undefined;
  let prices: ReturnType<Store['prices']> | undefined;
  return {
    root,
    state,
    id,
    projectRoot: rootOfProject(at),
    caller,
    env: context.env,
    get isGone() {
      return whereabouts() === null;
    },
    get names() {
      names ??= readNames(root);
      return names;
    },
    get seen() {
      if (seen === undefined) seen = readMarks(marksDir(state, caller, id));
      return seen;
    },
    prices() {
      prices ??= context.loadPrices(context.env);
      return prices;
    },
  };
}

/** Refuses a verb that writes inside of the sandbox of an agent, where zwarm can only look. @throws ZwarmError `io` */
function requireOutside({ env, newNonce }: ManagerContext, root: string): void {
  if (!env['ZWARM_SESSION_ID'] || isWritable(root, newNonce())) return;
  const hint = 'an agent that may start others has the tools of zwarm mcp: delegate, converse, end_session';
  throw new ZwarmError('io', 'this runs in the sandbox of an agent, where zwarm can only look', hint);
}

/** The store that an agent's environment names: it counts only together with the mark of one of its own turns. */
function storeOfTurn({ env }: ManagerContext): KnownStore | null {
  const root = env['ZWARM_STORE'];
  const mark = parseMark(env[MARK_VARIABLE] ?? '');
  const store = root?.startsWith('/') && mark !== null ? storeAt(root) : null;
  if (mark === null || store === null || store.record instanceof DamagedRecord) return null;
  if (store.record.store_id !== mark.store) return null;
  const turn = { store, id: mark.session, turn: mark.turn };
  return unlessDamaged(() => (readRequest(turn).nonce === mark.nonce ? store : null));
}

/** The project that a context leads to now. @throws ZwarmError `usage` */
export function locateProject(context: ManagerContext): Project {
  const host = () => hostIdentity().host;
  if (context.project !== null) return withStore(context.project, host);
  const { HOME: home } = context.env;
  return findProject(context.cwd, home?.startsWith('/') ? home : null, stateDirectory(context), host);
}

/** The stores whose projects may have been moved to where this one is, the surest first. */
export function movedHere(project: Project): readonly MovedStore[] {
  const { state } = project;
  return movedTo(state, () => hostIdentity().host, placeOf(project), listStores(state));
}

/** The context of a directory's own project; where there is no such directory, or it may not be opened, the same one. */
export function contextOf(context: ManagerContext, directory: string): ManagerContext {
  const isThere = isAbsolute(directory) && isOpenDirectory(directory);
  return isThere ? { ...context, cwd: directory, project: null } : context;
}

/** The store of the project that a context leads to, if it is there, and is not that of a directory which is gone. */
export function openForReading(context: ManagerContext, forWriting = false): Store | null {
  const own = storeOfTurn(context);
  if (own !== null) return openStore(context, own, forWriting);
  // First: what another user has closed cannot be looked at.
  requirePrivate(stateDirectory(context), context);
  const project = locateProject(context);
  const { path, store } = project;
  const opened = store && openStore(context, store, forWriting, path);
  const isNews = forWriting && isElsewhere(project) && isUsers(callerOf(context).source);
  if (isNews && store !== null && isSound(store) && ![store.record.path, store.record.seen_at].includes(path))
    noteWhereItIs(store, path, context.newNonce());
  return opened;
}

/**
 * Creates the store of the project, unless another start has done so.
 * @throws ZwarmError `project_replaced`, `foreign_directory`
 */
export function createStoreHere(context: ManagerContext): Store {
  const { now, newNonce } = context;
  const project = locateProject(context);
  const { state, path, others } = project;
  if (others !== null) {
    const isOffered = movedHere(project).some(({ root }) => root === others.root);
    const what = `zwarm keeps the sessions of another directory that was at ${rootOfProject(path)}`;
    const moved = 'where it was moved to: zwarm relocate --to DIR';
    const hint = isOffered
      ? `to have its sessions here: zwarm relocate; ${moved}`
      : `${moved}; if it is gone for good: zwarm clean --gone`;
    throw new ZwarmError('project_replaced', what, hint);
  }
  const { host } = hostIdentity();
  const made = { host, ...identityOfDirectory(path), created_at: isoTime(now()) };
  const record: ProjectRecord = { v: 1, store_id: newNonce(), path, kept_at: null, seen_at: null, ...made };
  return openStore(context, createStore(state, record, context, newNonce()), true, path);
}
