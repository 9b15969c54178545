import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { Breach } from '../core/rules/run-limits.ts';
import type { SessionSummary } from '../core/session.ts';
import { shellWord } from '../core/shell-word.ts';
import { hasQueue } from '../store/sessions.ts';
import { rootOfProject } from '../store/which-project.ts';
import { callerOf, requireUser } from './access/caller.ts';
import { locateSession } from './access/locate-session.ts';
import type { ApplyOptions } from './commands/apply.ts';
import type { CleanOptions } from './commands/clean.ts';
import type { CompactOptions } from './commands/compact.ts';
import type { Looked } from './commands/complete.ts';
import type { DiffOptions } from './commands/diff.ts';
import type { DigestOptions } from './commands/digest.ts';
import type { EventsOptions } from './commands/events.ts';
import type { ForkOptions } from './commands/fork.ts';
import type { PythonSession, TellProgress, ThreadFilter } from './commands/import.ts';
import type { InjectOptions } from './commands/inject.ts';
import type { KillOptions } from './commands/kill.ts';
import type { LandOptions } from './commands/land.ts';
import type { ListOptions } from './commands/ls.ts';
import type { OwnProgram } from './commands/open.ts';
import type { Packing, PackOptions, SaveOptions } from './commands/pack.ts';
import type { Relocation } from './commands/relocate.ts';
import type { RewindOptions } from './commands/rewind.ts';
import type { SearchOptions } from './commands/search.ts';
import type { UndoOptions } from './commands/undo.ts';
import type { Pieces, UnpackOptions } from './commands/unpack.ts';
import type { UsageOptions } from './commands/usage.ts';
import { locateProject, type ManagerContext, openForReading } from './context.ts';
import type { FollowOptions, FollowStepsOptions, OutputFile } from './follow/follow-turns.ts';
import type { StartOptions } from './launch/new-record.ts';
import type { GoneStore } from './project/all-stores.ts';
import type { LeftCount } from './session/processes-left.ts';
import type { DetailOptions, HistoryOptions } from './session/read-session.ts';

/** Everything that can be done with sessions; each face of zwarm (command line, library, tools) calls these. */
export type SessionManager = ReturnType<typeof createSessionManager>;

/** An error with other words for ids of sessions, which paths keep. */
function inWords(error: ZwarmError, words: ReadonlyMap<SessionId, string>): ZwarmError {
  let { message, hint } = error;
  for (const [id, word] of words) {
    const called = new RegExp(`(?<![\\w/-])${id}(?![\\w/-])`, 'g');
    message = message.replace(called, () => shellWord(word));
    hint = hint?.replace(called, () => shellWord(word)) ?? null;
  }
  return new ZwarmError(error.code, message, hint, error.cause);
}

/** A manager over the state directory that the context leads to. What a verb needs is loaded when it is called. */
export function createSessionManager(context: ManagerContext) {
  /** What the caller has called sessions that were not named by their whole ids. */
  const called = new Map<SessionId, string>();
  const locateBy = async (ref: string, options: Parameters<typeof locateSession>[2] = {}) => {
    const session = await locateSession(context, ref, options);
    if (ref !== session.id && !ref.startsWith('@')) called.set(session.id, ref);
    return session;
  };
  const locate = (ref: string) => locateBy(ref);
  const toWrite = (ref: string) => locateBy(ref, { forWriting: true });
  const followed = async (id: SessionId) => ({ context, ...(await locate(id)) });
  const openConversation = async (ref: string, leftCount?: LeftCount) =>
    (await import('./session/read-session.ts')).openConversation(await locate(ref), context.now(), leftCount);
  const read = async (ref: string, { turn, countsLeft }: DetailOptions = {}) => {
    const { onlyTurn } = await import('./session/read-session.ts');
    const leftCount = countsLeft
      ? (await import('./session/processes-left.ts')).createLeftCount()
      : undefined;
    return onlyTurn(await openConversation(ref, leftCount), turn);
  };
  const trajectory = async (ref: string, turn?: number) => {
    const { onlyTurn } = await import('./session/read-session.ts');
    const { trajectory: stepsOf } = await import('./session/trajectory.ts');
    const session = await openConversation(ref);
    return { ...onlyTurn(session, turn), steps: stepsOf(session, turn) };
  };
  /** The session for a verb that ends or deletes it, once it is certain that its caller may do so. */
  const ending = async (id: SessionId) => {
    const session = await toWrite(id);
    await (await import('./access/permissions.ts')).requireMayEnd(context, session);
    return session;
  };
  /** Some verbs make room for what waits, or show that it was not looked at for a while. */
  const thenMove = async <T>(verb: Promise<T>): Promise<T> => {
    const done = await verb;
    const store = openForReading(context);
    if (store !== null && hasQueue(store))
      await (await import('./queue/dispatch.ts')).moveQueue(context, store);
    return done;
  };
  return {
    /** Creates a session and launches its first turn. */
    start: async (options: StartOptions) =>
      thenMove((await import('./commands/start.ts')).start(context, options)),
    /** What a start would do, which is not done. */
    planStart: async (options: StartOptions) =>
      (await import('./commands/start.ts')).planStart(context, options),
    /** The session that has a name, which is started where none has: of several that ask at once, one starts it. */
    getOrStart: async (name: string, options: Omit<StartOptions, 'name'>) =>
      (await import('./commands/start.ts')).getOrStart(context, name, options),
    /** Refuses what `start` would refuse whatever the task. */
    checkStart: async (options: Omit<StartOptions, 'task'>) =>
      (await import('./commands/start.ts')).checkStart(context, options),
    /** The full id that an id, name, prefix, or a place such as `@last` means. */
    resolve: async (ref: string) => (await locate(ref)).id,
    /** The same for verbs that end or delete: a prefix must be longer. */
    resolveForEnding: async (ref: string) => (await locateBy(ref, { ending: true })).id,
    /** An error in the words of the caller, who may have called a session by its name. */
    inWordsOfCaller: (error: ZwarmError) => inWords(error, called),
    /** The lines in which something is found, in the newest session first, while they are found. @throws ZwarmError `usage` */
    async *search(options: SearchOptions) {
      yield* (await import('./commands/search.ts')).search(context, options);
    },
    /** What happened to sessions, in the order of time. @throws ZwarmError */
    async *events(options: EventsOptions = {}) {
      yield* (await import('./commands/events.ts')).events(context, options);
    },
    /** What happened since a time, by what it asks of its reader. */
    digest: async (options: DigestOptions) => (await import('./commands/digest.ts')).digest(context, options),
    /** What sessions used. */
    usage: async (options: UsageOptions = {}) =>
      (await import('./commands/usage.ts')).usage(context, options),
    /** Every agent that zwarm knows, and what it can do here. */
    agents: async () => (await import('./commands/agents.ts')).agents(context),
    /** The agents that can be chosen, and whether their programs are there. */
    agentChoices: async () => (await import('./commands/agents.ts')).agentChoices(context),
    list: async (options: ListOptions = {}) =>
      (await import('./commands/ls.ts')).list(context, options, (row) => row).then(({ rows }) => rows),
    /** The same list with what it leaves out, of which no more is kept in memory than `show` makes of each row. */
    listing: async <T>(options: ListOptions, show: (row: SessionSummary) => T) =>
      (await import('./commands/ls.ts')).list(context, options, show),
    /** The same list, again whenever something in it may have changed, until the signal aborts; `options` is asked each time. */
    async *watchList(options: () => ListOptions, signal: AbortSignal) {
      yield* (await import('./commands/ls.ts')).watchList(context, options, signal);
    },
    /** The words that a shell can complete, by what it asks for and what was typed of it. */
    complete: async (kind: Looked, typed: string) =>
      (await import('./commands/complete.ts')).complete(context, kind, typed),
    /** The sessions that run or are about to, from their own files. */
    listLive: async () => (await import('./commands/kill.ts')).listLive(context),
    /** A session whose turns are read while the caller iterates over them. @throws ZwarmError `usage` for an unknown turn */
    read,
    /** A session with its turns and messages. @throws ZwarmError likewise */
    get: async (ref: string, options: DetailOptions = {}) =>
      (await import('./session/read-session.ts')).inFull(await read(ref, options), options.full),
    /** How a session stands, from its own files; small however long its conversation. */
    summary: async (id: SessionId) =>
      (await import('./session/session-summary.ts')).computeSummary(await locate(id), context.now()),
    /** Where the agent works, or worked, in a turn. @throws ZwarmError `not_found`, `damaged` */
    directory: async (id: SessionId, turn: number) =>
      (await import('./session/current-turn.ts')).directoryOfTurn({ ...(await locate(id)), turn }),
    /** The directory in which a session works, and what is in its environment there. @throws ZwarmError `directory_changed`, `not_resumable` */
    placeOf: async (id: SessionId) => (await import('./commands/path.ts')).placeOf(context, await locate(id)),
    /** What the agent did, step by step, numbered through all turns. @throws ZwarmError `usage` for an unknown turn */
    steps: async (ref: string, { turn }: { readonly turn?: number | undefined } = {}) =>
      (await trajectory(ref, turn)).steps,
    /** The same with the turns in which it did that, all from one reading. @throws ZwarmError likewise */
    trajectory,
    /** The same steps as they come: a step that changes later comes again, with the same numbers. */
    async *followSteps(id: SessionId, options: FollowStepsOptions = {}) {
      yield* (await import('./follow/follow-turns.ts')).followSteps(await followed(id), options);
    },
    /** What the agent printed, byte for byte; each piece is valid until the next one is asked for. */
    async *followOutput(id: SessionId, file: OutputFile, options: FollowOptions = {}) {
      yield* (await import('./follow/follow-turns.ts')).followOutput(await followed(id), file, options);
    },
    /** The lines that the agent printed on stderr; `seq` counts empty ones too. */
    async *followStderr(id: SessionId, options: FollowOptions = {}) {
      yield* (await import('./follow/follow-turns.ts')).followStderr(await followed(id), options);
    },
    /** What turns of a session changed in its files. @throws ZwarmError `no_snapshot`, `usage` */
    diff: async (ref: string, options?: DiffOptions) =>
      (await import('./commands/diff.ts')).diff(context, await locate(ref), options),
    /** How the files that two sessions left differ. @throws ZwarmError likewise */
    diffBetween: async (refs: readonly [string, string], paths?: readonly string[]) =>
      (await import('./commands/diff.ts')).diffBetween(
        context,
        [await locate(refs[0]), await locate(refs[1])],
        paths,
      ),
    /** Takes what a turn changed out of the files. @throws ZwarmError `conflict`, `no_snapshot`, `busy` */
    undo: async (ref: string, options?: UndoOptions) =>
      (await import('./commands/undo.ts')).undo(context, await toWrite(ref), options),
    /** What is left of the budgets of a session, in words; null where none holds. */
    budgetLeft: async (id: SessionId) =>
      (await import('./access/budget-standings.ts')).budgetLeft(context, await locate(id)),
    /** Gives a session its next message. */
    inject: async (ref: string, message: string, options?: InjectOptions) =>
      thenMove((await import('./commands/inject.ts')).inject(context, await toWrite(ref), message, options)),
    /** Refuses what `inject` would refuse whatever the message. */
    async checkInject(ref: string, options?: InjectOptions): Promise<void> {
      await (await import('./commands/inject.ts')).checkInject(context, await toWrite(ref), options);
    },
    /** The threads of agents that can be imported, the newest first. */
    importable: async (filter?: ThreadFilter) =>
      (await import('./commands/import.ts')).importable(context, filter),
    /** Makes a session of an agent's session file, by its path or its thread. */
    importThread: async (file: string, tell?: TellProgress) =>
      (await import('./commands/import.ts')).importThread(context, file, tell),
    /** The sessions of a Python zwarm in a directory. */
    pythonSessions: async (directory: string) =>
      (await import('./commands/import.ts')).pythonSessions(context, directory),
    /** Makes a session of one of them. */
    importPython: async (session: PythonSession) =>
      (await import('./commands/import.ts')).importPython(context, session),
    /** Creates a session that begins as another one was, and gives it its first message, if any. */
    fork: async (ref: string, options?: ForkOptions) =>
      (await import('./commands/fork.ts')).fork(context, await toWrite(ref), options),
    /** Brings what a session changed in its own tree onto a branch. @throws ZwarmError `conflict`, `no_tree`, `busy`, … */
    land: async (ref: string, options: LandOptions) =>
      (await import('./commands/land.ts')).land(context, await toWrite(ref), options),
    /** Merges the branch into that tree, and asks its agent to do the rest; null where there is nothing to ask. @throws ZwarmError likewise */
    askMerge: async (ref: string, onto: string | undefined) =>
      (await import('./commands/land.ts')).askMerge(context, await toWrite(ref), onto),
    /** Makes what a session changed in its own tree in the files of the caller's checkout. @throws ZwarmError likewise */
    apply: async (ref: string, options?: ApplyOptions) =>
      (await import('./commands/apply.ts')).apply(context, await toWrite(ref), options),
    /** Has somebody look at the files of a session's own tree. @throws ZwarmError `not_allowed` */
    checkTree: async (id: SessionId, check: (directory: string) => Promise<boolean>) =>
      (await import('./commands/compare.ts')).checkTree(context, await toWrite(id), check),
    /** Has `run` run the agent's own program on the thread of a session, and makes turns of what was said there. */
    open: async (ref: string, run: (program: OwnProgram) => Promise<number | null>) =>
      thenMove((await import('./commands/open.ts')).open(context, await toWrite(ref), run)),
    /** Whether a session can be opened so, as far as its list row tells. */
    canOpen: async (row: SessionSummary) => (await import('./session/can-open.ts')).canOpen(row),
    /** Winds a conversation back to what it was after a turn, 0 for its beginning; with `files` these, too. */
    rewind: async (ref: string, to: number, options?: RewindOptions) =>
      (await import('./commands/rewind.ts')).rewind(context, await toWrite(ref), to, options),
    /** Has the agent write a summary, from which the conversation goes on. */
    compact: async (ref: string, options?: CompactOptions) =>
      (await import('./commands/compact.ts')).compact(context, await toWrite(ref), options),
    /** What the agent is to know of a conversation within a budget, beginning with a message of the user. */
    history: async (ref: string, options?: HistoryOptions) =>
      (await import('./session/read-session.ts')).history(await openConversation(ref), options),
    /** Waits until a session is at rest (or that turn has ended), or the signal aborts: the status then, `ready` at once. */
    wait: async (id: SessionId, signal: AbortSignal = new AbortController().signal, turn?: number) =>
      (await import('./commands/wait.ts')).wait(context, await locate(id), turn ?? null, signal),
    /** Marks that this caller has seen the end of a turn; nothing happens while it has not ended. */
    markSeen: async (id: SessionId, turn: number) =>
      (await import('./access/mark-seen.ts')).markSeen(context, { ...(await locate(id)), turn }),
    /** Stops the running turn; returns when its end was observed: the turn whose end that is, null where it is damaged. */
    async kill(id: SessionId, options?: KillOptions) {
      const session = await ending(id);
      return thenMove((await import('./commands/kill.ts')).kill(context, session, options));
    },
    /** What a session has started, directly or not, and still has to be ended; in rounds, as the caller ends them. */
    async *livingDescendants(id: SessionId) {
      yield* (await import('./commands/kill.ts')).livingDescendants(context, await locate(id));
    },
    /** Deletes a session that is not running; returns the bytes freed. `force`: also where that is unknown. */
    async remove(id: SessionId, options?: { readonly force: boolean }) {
      const session = await ending(id);
      const { emptyDue, remove } = await import('./commands/rm.ts');
      const removed = await thenMove(remove(context, session, options));
      await emptyDue(context, session.store);
      return removed;
    },
    /** Removes for good what is in the trash: what is named, or all of it. */
    emptyTrash: async (refs: readonly string[]) => (await import('./commands/rm.ts')).emptyNow(context, refs),
    /** Brings back what was removed and is still in the trash. @throws ZwarmError `not_found`, `name_taken` */
    restore: async (ref: string) => (await import('./commands/restore.ts')).restore(context, ref),
    /** Gives a session a name, or with null takes it away. */
    rename: async (ref: string, name: string | null) =>
      (await import('./commands/name.ts')).rename(context, await toWrite(ref), name),
    /** A session at rest as an archive that is about to be written. @throws ZwarmError `not_allowed`, `busy` */
    pack: async (ref: string, options: PackOptions) =>
      (await import('./commands/pack.ts')).pack(context, await locate(ref), options),
    /** Writes an archive to a file that is not there yet; `force`: or in its place. */
    saveFile: async (packing: Pick<Packing, 'send'>, path: string, options: SaveOptions) =>
      (await import('./commands/pack.ts')).saveFile(context, packing, path, options),
    /** Takes a session out of an archive. @throws ZwarmError `not_allowed`, `bad_archive` */
    unpack: async (pieces: Pieces, options: UnpackOptions) =>
      (await import('./commands/unpack.ts')).unpack(context, pieces, options),
    /** The bytes of an archive in a file. @throws ZwarmError `usage` */
    readArchive: async (path: string) => (await import('./commands/unpack.ts')).readArchive(path),
    /** Notices about where the sessions of this project are kept. */
    projectNotices: async (): Promise<readonly string[]> =>
      (await import('./project/moved-project.ts')).projectNotices(context),
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
    clean: async (options: CleanOptions) =>
      thenMove((await import('./commands/clean.ts')).clean(context, options)),
    /** The messages that wait in this project, in the order of the queue. */
    queued: async () => (await import('./commands/queue.ts')).queued(context),
    /** Takes back messages of a session that wait, or one of them; the turns. */
    async withdraw(id: SessionId, turn?: number) {
      const session = await ending(id);
      return thenMove((await import('./commands/queue.ts')).withdraw(context, session, turn));
    },
    /** Starts what waits and may begin, in all projects; the turns that have begun. */
    wake: async () => (await import('./commands/queue.ts')).wake(context),
    /** What installs a timer that does so, or removes it. @throws ZwarmError `io` */
    planTimer: async (remove: boolean) =>
      (await import('./commands/wake-install.ts')).planTimer(context, remove),
    /** The same as `wake`, also with accounts that are held. */
    runQueue: async () => (await import('./commands/queue.ts')).runQueue(context),
    /** The merged configuration of this project for this caller. @throws ZwarmError `config` */
    async settings() {
      const { settingsFor } = await import('./access/permissions.ts');
      return (await settingsFor(context, openForReading(context))).settings;
    },
    /** Checks everything that zwarm needs; never throws. */
    doctor: async () => (await import('./commands/doctor.ts')).doctor(context),
    /** The project around the current directory. */
    project: () => locateProject(context),
    /** Where a server of tools works whose host names directories; see there. */
    servedPlace: async (roots: () => Promise<readonly string[]>) =>
      (await import('./access/served-place.ts')).servedPlace(context, roots),
    caller: () => callerOf(context),
    /** The root of the project whose sessions these are. */
    projectRoot: () => openForReading(context)?.projectRoot ?? rootOfProject(locateProject(context).path),
    /** The time by which everything here is told (ms since the epoch). */
    now: () => context.now(),
    /** Refuses everybody but the user. @throws ZwarmError `not_allowed` */
    requireUser: () => requireUser(context),
    /** Replaces the user's own configuration. @throws ZwarmError `not_allowed` */
    saveUserConfig: async (text: string) =>
      (await import('./commands/config.ts')).saveUserConfig(context, text),
    /** Remembers that the user trusts a file of a project as it is. @throws ZwarmError `not_allowed` */
    trustFile: async (key: { readonly name: string; readonly digest: string }) =>
      (await import('./commands/config.ts')).trustFile(context, key),
    /** For the turn watcher alone. */
    isBusy: async () => (await import('./commands/limit.ts')).isBusy(context),
    stopAtLimit: async (breach: Breach) => (await import('./commands/limit.ts')).stopAtLimit(context, breach),
    /** Tells the user what waits to be told. */
    sendNotifications: async () => (await import('./commands/notify.ts')).sendNotifications(context),
    /** For commands that others relied on while they looked at a queue. */
    dispatchWished: async () => (await import('./commands/queue.ts')).dispatchWished(context),
    /** For the turn runner alone. */
    setUp: async (tell: (line: string) => void) =>
      (await import('./commands/set-up.ts')).setUp(context, tell),
    settle: async () => (await import('./commands/settle.ts')).settle(context),
  };
}
