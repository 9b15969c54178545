import type { SessionId } from '../core/ids.ts';
import type { SessionSummary } from '../core/session.ts';
import { callerOf, requireUser } from './access/caller.ts';
import { locateSession, MIN_PREFIX_DESTRUCTIVE } from './access/locate-session.ts';
import type { CompactOptions } from './commands/compact.ts';
import type { ForkOptions } from './commands/fork.ts';
import type { InjectOptions } from './commands/inject.ts';
import type { KillOptions } from './commands/kill.ts';
import type { ListOptions } from './commands/ls.ts';
import type { Relocation } from './commands/relocate.ts';
import type { StartOptions } from './commands/start.ts';
import { locateProject, type ManagerContext, openForReading } from './context.ts';
import type { FollowOptions, FollowStepsOptions, OutputFile } from './follow/follow-turns.ts';
import type { GoneStore } from './project/all-stores.ts';
import type { DetailOptions, HistoryOptions } from './session/read-session.ts';

/** Everything that can be done with sessions; each face of zwarm (command line, library, tools) calls these. */
export type SessionManager = ReturnType<typeof createSessionManager>;

/** A manager over the state directory that the context leads to. What a verb needs is loaded when it is called. */
export function createSessionManager(context: ManagerContext) {
  const locate = (ref: string) => locateSession(context, ref);
  const toWrite = (ref: string) => locateSession(context, ref, { forWriting: true });
  const followed = (id: SessionId) => ({ context, ...locate(id) });
  const readSession = async (ref: string) =>
    (await import('./session/read-session.ts')).readSession(locate(ref), context.now());
  const read = async (ref: string, { turn }: DetailOptions = {}) => {
    const { onlyTurn } = await import('./session/read-session.ts');
    return onlyTurn(await readSession(ref), turn);
  };
  /** The session for a verb that ends or deletes it, once it is certain that its caller may do so. */
  const ending = async (id: SessionId) => {
    const session = toWrite(id);
    await (await import('./access/permissions.ts')).requireMayEnd(context, session);
    return session;
  };
  return {
    /** Creates a session and launches its first turn. */
    start: async (options: StartOptions) => (await import('./commands/start.ts')).start(context, options),
    /** Refuses what `start` would refuse whatever the task. */
    checkStart: async (options: Omit<StartOptions, 'task'>) =>
      (await import('./commands/start.ts')).checkStart(context, options),
    /** The full id that an id, name, prefix or `@last` means. */
    resolve: (ref: string) => locate(ref).id,
    /** The same for verbs that end or delete: a prefix must be longer. */
    resolveForEnding: (ref: string) => locateSession(context, ref, { minPrefix: MIN_PREFIX_DESTRUCTIVE }).id,
    list: async (options: ListOptions = {}) =>
      (await import('./commands/ls.ts')).list(context, options, (row) => row),
    /** The same list, of which no more is kept in memory than `show` makes of each row. */
    listAs: async <T>(options: ListOptions, show: (row: SessionSummary) => T) =>
      (await import('./commands/ls.ts')).list(context, options, show),
    /** The sessions that run or are about to, from their own files. */
    listLive: async () => (await import('./commands/kill.ts')).listLive(context),
    /** A session whose turns are read while the caller iterates over them. @throws ZwarmError `usage` for an unknown turn */
    read,
    /** A session with its turns and messages. @throws ZwarmError likewise */
    get: async (ref: string, options: DetailOptions = {}) =>
      (await import('./session/read-session.ts')).inFull(await read(ref, options), options.full),
    /** What a session is doing now, for a line that is redrawn each second. @throws ZwarmError `not_found`, `damaged` */
    progress: async (id: SessionId) =>
      (await import('./session/progress.ts')).readProgress(locate(id), context.now()),
    /** How a session stands, from its own files; small however long its conversation. */
    summary: async (id: SessionId) =>
      (await import('./session/session-summary.ts')).readSummaryNow(locate(id), context.now()),
    /** What was asked for, without a look at the turns. @throws ZwarmError `not_found`, `damaged` */
    record: async (ref: string) => (await import('./session/current-turn.ts')).readRecord(locate(ref)),
    /** What the agent did, step by step, numbered through all turns. @throws ZwarmError `usage` for an unknown turn */
    steps: async (ref: string, { turn }: { readonly turn?: number | undefined } = {}) =>
      (await import('./session/trajectory.ts')).trajectory(context, await readSession(ref), turn),
    /** The same steps as they come: a step that changes later comes again, with the same numbers. */
    async *followSteps(id: SessionId, options: FollowStepsOptions = {}) {
      yield* (await import('./follow/follow-turns.ts')).followSteps(followed(id), options);
    },
    /** What the agent printed, byte for byte; each piece is valid until the next one is asked for. */
    async *followOutput(id: SessionId, file: OutputFile, options: FollowOptions = {}) {
      yield* (await import('./follow/follow-turns.ts')).followOutput(followed(id), file, options);
    },
    /** The lines that the agent printed on stderr; `seq` counts empty ones too. */
    async *followStderr(id: SessionId, options: FollowOptions = {}) {
      yield* (await import('./follow/follow-turns.ts')).followStderr(followed(id), options);
    },
    /** Gives a session its next message. */
    inject: async (ref: string, message: string, options?: InjectOptions) =>
      (await import('./commands/inject.ts')).inject(context, toWrite(ref), message, options),
    /** Refuses what `inject` would refuse whatever the message. */
    async checkInject(ref: string, options?: InjectOptions): Promise<void> {
      await (await import('./commands/inject.ts')).checkInject(context, toWrite(ref), options);
    },
    /** Creates a session that begins as another one was, and gives it its first message, if any. */
    fork: async (ref: string, options?: ForkOptions) =>
      (await import('./commands/fork.ts')).fork(context, toWrite(ref), options),
    /** Winds a conversation back to what it was after a turn, 0 for its beginning. */
    rewind: async (ref: string, to: number) =>
      (await import('./commands/rewind.ts')).rewind(context, toWrite(ref), to),
    /** Has the agent write a summary, from which the conversation goes on. */
    compact: async (ref: string, options?: CompactOptions) =>
      (await import('./commands/compact.ts')).compact(context, toWrite(ref), options),
    /** What the agent is to know of a conversation, at most so many messages, beginning with the user's. */
    history: async (ref: string, options?: HistoryOptions) =>
      (await import('./session/read-session.ts')).history(await readSession(ref), options),
    /** Waits until a session is at rest (or that turn has ended), or the signal aborts; returns the status then. */
    wait: async (id: SessionId, signal: AbortSignal = new AbortController().signal, turn?: number) =>
      (await import('./commands/wait.ts')).wait(context, locate(id), turn ?? null, signal),
    /** Marks that this caller has seen the end of a turn; nothing happens while it has not ended. */
    markSeen: async (id: SessionId, turn: number) =>
      (await import('./access/mark-seen.ts')).markSeen(context, { ...locate(id), turn }),
    /** Stops the running turn; returns when its end was observed. */
    async kill(id: SessionId, options?: KillOptions) {
      const session = await ending(id);
      await (await import('./commands/kill.ts')).kill(context, session, options);
    },
    /** What a session has started, directly or not, and still has to be ended; in rounds, as the caller ends them. */
    async *livingDescendants(id: SessionId) {
      yield* (await import('./commands/kill.ts')).livingDescendants(context, locate(id));
    },
    /** Deletes a session that is not running; returns the bytes freed. `force`: also where that is unknown. */
    async remove(id: SessionId, options?: { readonly force: boolean }) {
      const session = await ending(id);
      return (await import('./commands/rm.ts')).remove(context, session, options);
    },
    /** Gives a session a name, or with null takes it away. */
    rename: async (ref: string, name: string | null) =>
      (await import('./commands/name.ts')).rename(context, toWrite(ref), name),
    /** Notices about where the sessions of this project, or of all projects, are kept. */
    async projectNotices(everywhere: boolean): Promise<readonly string[]> {
      if (!everywhere) return (await import('./project/moved-project.ts')).projectNotices(context);
      const { refused } = (await import('./project/all-stores.ts')).openAll(context);
      return refused.map(({ message }) => message);
    },
    /** What `relocate` would do. @throws ZwarmError `not_found`, `usage` */
    planRelocation: async (to: string | null) =>
      (await import('./commands/relocate.ts')).planRelocation(context, to),
    /** Gives the sessions of a project to the directory where it is now. @throws ZwarmError `busy` */
    relocate: async (plan: Relocation) => (await import('./commands/relocate.ts')).relocate(plan),
    /** The stores of projects whose directories are gone. */
    listGone: async () => (await import('./project/all-stores.ts')).listGone(context),
    /** Deletes such stores with all of their sessions. */
    async removeGone(stores: readonly GoneStore[]) {
      requireUser(context);
      return (await import('./project/all-stores.ts')).removeGone(context, stores);
    },
    /** Removes the sessions whose newest end is at least so long ago, and what commands that were killed have left. */
    clean: async (options: { readonly olderThanMs: number; readonly dryRun: boolean }) =>
      (await import('./commands/clean.ts')).clean(context, options),
    /** The merged configuration of this project for this caller. @throws ZwarmError `config` */
    async settings() {
      const { settingsFor } = await import('./access/permissions.ts');
      return (await settingsFor(context, openForReading(context))).settings;
    },
    /** Checks everything that zwarm needs; never throws. */
    doctor: async () => (await import('./commands/doctor.ts')).doctor(context),
    /** The project around the current directory. */
    project: () => locateProject(context),
    caller: () => callerOf(context),
    /** Refuses everybody but the user. @throws ZwarmError `not_allowed` */
    requireUser: () => requireUser(context),
    /** Replaces the user's own configuration. @throws ZwarmError `not_allowed` */
    saveUserConfig: async (text: string) =>
      (await import('./commands/config.ts')).saveUserConfig(context, text),
    /** Remembers that the user trusts a file of a project as it is. @throws ZwarmError `not_allowed` */
    trustFile: async (mark: { readonly name: string; readonly digest: string }) =>
      (await import('./commands/config.ts')).trustFile(context, mark),
    /** For the turn runner alone. */
    settle: async () => (await import('./commands/settle.ts')).settle(context),
  };
}
