import type { Check } from '../core/check.ts';
import { type SessionReader, stepsOf } from '../core/conversation/session-reader.ts';
import { type TrajectoryStep, trajectoryOf } from '../core/conversation/trajectory.ts';
import type { Line } from '../core/events.ts';
import type { SessionId } from '../core/ids.ts';
import type { Settings } from '../core/rules/policy.ts';
import type { Message, SessionDetail, SessionSummary } from '../core/session.ts';
import type { TurnStatus } from '../core/status.ts';
import type { SessionRecord } from '../store/records.ts';
import type { Project } from '../store/which-project.ts';
import { type Caller, callerOf, requireUser } from './access/caller.ts';
import { locateSession, MIN_PREFIX_DESTRUCTIVE } from './access/locate-session.ts';
import type { CleanResult } from './commands/clean.ts';
import type { Compacted, CompactOptions } from './commands/compact.ts';
import type { Forked, ForkOptions } from './commands/fork.ts';
import type { InjectOptions } from './commands/inject.ts';
import type { KillOptions } from './commands/kill.ts';
import type { ListOptions } from './commands/ls.ts';
import type { Renamed } from './commands/name.ts';
import type { Relocation } from './commands/relocate.ts';
import type { Rewound } from './commands/rewind.ts';
import type { StartedSession, StartOptions } from './commands/start.ts';
import { locateProject, type ManagerContext, openForReading } from './context.ts';
import type { FollowStepsOptions } from './follow/follow-steps.ts';
import type { FollowOptions, OutputFile } from './follow/follow-turns.ts';
import type { StartedTurn } from './launch/launch-turn.ts';
import type { GoneResult, GoneStore } from './project/gone-stores.ts';
import type { HistoryOptions } from './session/history.ts';
import type { SessionProgress } from './session/progress.ts';
import type { DetailOptions } from './session/session-detail.ts';

/** Everything that can be done with sessions; each face of zwarm (command line, library) calls these. */
export interface SessionManager {
  /** Creates a session and launches its first turn. */
  start(options: StartOptions): Promise<StartedSession>;
  /** Refuses what `start` would refuse whatever the task. */
  checkStart(options: Omit<StartOptions, 'task'>): Promise<void>;
  /** The full id that an id, name, prefix or `@last` means. */
  resolve(ref: string): SessionId;
  /** The same for verbs that end or delete: a prefix must be longer. */
  resolveForEnding(ref: string): SessionId;
  list(options?: ListOptions): Promise<SessionSummary[]>;
  /** The same list, of which no more is kept in memory than `show` makes of each row. */
  listAs<T>(options: ListOptions, show: (row: SessionSummary) => T): Promise<T[]>;
  /** The sessions that run or are about to, from their own files. */
  listLive(): Promise<SessionId[]>;
  /** A session whose turns are read while somebody walks through them. @throws ZwarmError `usage` for an unknown turn */
  read(ref: string, options?: Pick<DetailOptions, 'turn'>): Promise<SessionReader>;
  /** A session with its turns and messages. @throws ZwarmError likewise */
  get(ref: string, options?: DetailOptions): Promise<SessionDetail>;
  /** What a session is doing now, for a line that is redrawn each second. @throws ZwarmError `not_found`, `damaged` */
  progress(id: SessionId): Promise<SessionProgress>;
  /** How a session stands, from its own files; small however long its conversation. */
  summary(id: SessionId): Promise<SessionSummary>;
  /** What was asked for, without a look at the turns. @throws ZwarmError `not_found`, `damaged` */
  record(ref: string): Promise<SessionRecord>;
  /** What the agent did, step by step, numbered through all turns. @throws ZwarmError `usage` for an unknown turn */
  steps(ref: string, options?: { readonly turn?: number | undefined }): Promise<readonly TrajectoryStep[]>;
  /** The same steps as they come: a step that changes later comes again, with the same numbers. */
  followSteps(id: SessionId, options?: FollowStepsOptions): AsyncIterable<TrajectoryStep>;
  /** What the agent printed, byte for byte; each piece is valid until the next one is asked for. */
  followOutput(id: SessionId, file: OutputFile, options?: FollowOptions): AsyncIterable<Uint8Array>;
  /** The lines that the agent printed on stderr; `seq` counts empty ones too. */
  followStderr(id: SessionId, options?: FollowOptions): AsyncIterable<Line>;
  /** Gives a session its next message. */
  inject(ref: string, message: string, options?: InjectOptions): Promise<StartedTurn>;
  /** Refuses what `inject` would refuse whatever the message. */
  checkInject(ref: string, options?: InjectOptions): Promise<void>;
  /** Creates a session that begins as another one was, and gives it its first message, if any. */
  fork(ref: string, options?: ForkOptions): Promise<Forked>;
  /** Winds a conversation back to what it was after a turn, 0 for its beginning. */
  rewind(ref: string, to: number): Promise<Rewound>;
  /** Has the agent write a summary, from which the conversation goes on. */
  compact(ref: string, options?: CompactOptions): Promise<Compacted>;
  /** What the agent is to know of a conversation, at most so many messages, beginning with the user's. */
  history(ref: string, options?: HistoryOptions): Promise<readonly Message[]>;
  /** Waits until a session is at rest (or that turn has ended), or the signal aborts; returns the status then. */
  wait(id: SessionId, signal?: AbortSignal, turn?: number): Promise<TurnStatus>;
  /** Marks that this caller has seen the end of a turn; nothing happens while it has not ended. */
  markSeen(id: SessionId, turn: number): Promise<void>;
  /** Stops the running turn; returns when its end was observed. */
  kill(id: SessionId, options?: KillOptions): Promise<void>;
  /** What a session has started, directly or not, and still has to be ended; in rounds, as the caller ends them. */
  livingDescendants(id: SessionId): AsyncIterable<readonly SessionId[]>;
  /** Deletes a session that is not running; returns the bytes freed. `force`: also where that is unknown. */
  remove(id: SessionId, options?: { readonly force: boolean }): Promise<number>;
  /** Gives a session a name, or with null takes it away. */
  rename(ref: string, name: string | null): Promise<Renamed>;
  /** Notices about where the sessions of this project, or of all projects, are kept. */
  projectNotices(everywhere: boolean): Promise<readonly string[]>;
  /** What `relocate` would do. @throws ZwarmError `not_found`, `usage` */
  planRelocation(to: string | null): Promise<Relocation>;
  /** Gives the sessions of a project to the directory where it is now. @throws ZwarmError `busy` */
  relocate(plan: Relocation): Promise<void>;
  /** The stores of projects whose directories are gone. */
  listGone(): Promise<readonly GoneStore[]>;
  /** Deletes such stores with all of their sessions. */
  removeGone(stores: readonly GoneStore[]): Promise<GoneResult>;
  clean(options: { readonly olderThanMs: number; readonly dryRun: boolean }): Promise<CleanResult>;
  /** What the configuration comes to for whoever asks. @throws ZwarmError `config` */
  settings(): Promise<Settings>;
  /** Checks everything that zwarm needs; never throws. */
  doctor(): Promise<readonly Check[]>;
  /** The project around the current directory. */
  project(): Project;
  /** Who asks. */
  caller(): Caller;
  /** Refuses everybody but the user. @throws ZwarmError `not_allowed` */
  requireUser(): void;
  /** Puts a text in the place of the user's own configuration. @throws ZwarmError `not_allowed` */
  saveUserConfig(text: string): Promise<void>;
  /** Remembers that the user trusts a file of a project as it is. @throws ZwarmError `not_allowed` */
  trustFile(mark: { readonly name: string; readonly digest: string }): Promise<void>;
  /** For the turn runner alone. */
  settle(): Promise<void>;
}

/**
 * What `open` gives, opened when the first of it is asked for: what that takes is loaded only then. A generator that is
 * left before has nothing to close.
 */
async function* lazily<T>(open: () => Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  yield* await open();
}

/** A manager over the state directory that the context leads to. What a verb needs is loaded when it is called. */
export function createSessionManager(context: ManagerContext): SessionManager {
  const locate = (ref: string) => locateSession(context, ref);
  const followed = (id: SessionId) => ({ context, ...locate(id) });
  const readSession = async (ref: string) => {
    const session = locate(ref);
    return (await import('./session/read-session.ts')).readSession(session, context.now());
  };
  const read = async (ref: string, { turn }: DetailOptions = {}) => {
    const { onlyTurn } = await import('./session/session-detail.ts');
    return onlyTurn(await readSession(ref), turn);
  };
  /** The session for a verb that ends or deletes it, once it is certain that its caller may do so. */
  const ending = async (id: SessionId) => {
    const session = locateSession(context, id, { forWriting: true });
    const { requireMayEnd } = await import('./access/permissions.ts');
    await requireMayEnd(context, session);
    return session;
  };
  return {
    start: async (options) => (await import('./commands/start.ts')).start(context, options),
    checkStart: async (options) => (await import('./commands/start.ts')).checkStart(context, options),
    resolve: (ref) => locate(ref).id,
    resolveForEnding: (ref) => locateSession(context, ref, { minPrefix: MIN_PREFIX_DESTRUCTIVE }).id,
    list: async (options = {}) => (await import('./commands/ls.ts')).list(context, options, (row) => row),
    listAs: async (options, show) => (await import('./commands/ls.ts')).list(context, options, show),
    listLive: async () => (await import('./session/live-sessions.ts')).listLive(context),
    read,
    async get(ref, options = {}) {
      const { inFull } = await import('./session/session-detail.ts');
      return inFull(await read(ref, options), options.full ?? false);
    },
    progress: async (id) => (await import('./session/progress.ts')).readProgress(locate(id), context.now()),
    summary: async (id) =>
      (await import('./session/session-summary.ts')).readSummaryNow(locate(id), context.now()),
    async record(ref) {
      const session = locate(ref);
      return (await import('./session/current-turn.ts')).readRecord(session);
    },
    async steps(ref, { turn } = {}) {
      const { onlyTurn } = await import('./session/session-detail.ts');
      const session = await readSession(ref);
      // For the error where there is no such turn.
      onlyTurn(session, turn);
      const { stepTimes } = await import('./session/step-times.ts');
      const steps = session.turns.map(stepsOf);
      const times = stepTimes(context, session, steps);
      return trajectoryOf(steps, times).filter((step) => turn === undefined || step.turn === turn);
    },
    followSteps: (id, options = {}) =>
      lazily(async () => (await import('./follow/follow-steps.ts')).followSteps(followed(id), options)),
    followOutput: (id, file, options = {}) =>
      lazily(async () =>
        (await import('./follow/follow-turns.ts')).followOutput(followed(id), file, options),
      ),
    followStderr: (id, options = {}) =>
      lazily(async () => (await import('./follow/follow-turns.ts')).followStderr(followed(id), options)),
    inject: async (ref, message, options) =>
      (await import('./commands/inject.ts')).inject(context, ref, message, options),
    checkInject: async (ref, options) =>
      (await import('./commands/inject.ts')).checkInject(context, ref, options),
    fork: async (ref, options) => (await import('./commands/fork.ts')).fork(context, ref, options),
    rewind: async (ref, to) => (await import('./commands/rewind.ts')).rewind(context, ref, to),
    compact: async (ref, options) => (await import('./commands/compact.ts')).compact(context, ref, options),
    async history(ref, options) {
      const conversation = await readSession(ref);
      return (await import('./session/history.ts')).history(conversation, options);
    },
    wait: async (id, signal = new AbortController().signal, turn) =>
      (await import('./commands/wait.ts')).wait(context, locate(id), turn ?? null, signal),
    markSeen: async (id, turn) =>
      (await import('./access/mark-seen.ts')).markSeen(context, { ...locate(id), turn }),
    async kill(id, options) {
      const session = await ending(id);
      await (await import('./commands/kill.ts')).kill(context, session, options);
    },
    livingDescendants: (id) =>
      lazily(async () => (await import('./session/descendants.ts')).livingDescendants(context, locate(id))),
    async remove(id, options) {
      const session = await ending(id);
      return (await import('./commands/rm.ts')).remove(context, session, options);
    },
    rename: async (ref, name) => (await import('./commands/name.ts')).rename(context, ref, name),
    projectNotices: async (everywhere) =>
      (await import('./project/project-notices.ts')).projectNotices(context, everywhere),
    planRelocation: async (to) => (await import('./commands/relocate.ts')).planRelocation(context, to),
    relocate: async (plan) => (await import('./commands/relocate.ts')).relocate(plan),
    listGone: async () => (await import('./project/gone-stores.ts')).listGone(context),
    async removeGone(stores) {
      requireUser(context);
      return (await import('./project/gone-stores.ts')).removeGone(context, stores);
    },
    clean: async (options) => (await import('./commands/clean.ts')).clean(context, options),
    async settings() {
      const { settingsFor } = await import('./access/permissions.ts');
      return (await settingsFor(context, openForReading(context))).settings;
    },
    doctor: async () => (await import('./commands/doctor.ts')).doctor(context),
    project: () => locateProject(context),
    caller: () => callerOf(context),
    requireUser: () => requireUser(context),
    saveUserConfig: async (text) => (await import('./commands/config.ts')).saveUserConfig(context, text),
    trustFile: async (mark) => (await import('./commands/config.ts')).trustFile(context, mark),
    settle: async () => (await import('./commands/settle.ts')).settle(context),
  };
}
