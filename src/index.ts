/**
 * zwarm as a library: the same verbs as the command line, over the same files. `docs/guide.md` has a whole program.
 *
 * @example
 * import { openSessions } from 'zwarm';
 * const sessions = openSessions();
 * const { id } = await sessions.start({ task: 'fix the tests' });
 * await sessions.wait(id);
 * console.log((await sessions.get(id)).last_message);
 */
import { resolve } from 'node:path';
import { toZwarmError } from './core/errors.ts';
import type { SessionId } from './core/ids.ts';
import type { Message } from './core/session.ts';
import { installation } from './installation.ts';
import { programSource } from './manager/access/caller.ts';
import type { ListOptions } from './manager/commands/ls.ts';
import type { DetailOptions, HistoryOptions } from './manager/session/read-session.ts';
import { createSessionManager, type SessionManager } from './manager/session-manager.ts';

export type { AgentInfo } from './core/agent-info.ts';
export type { ChangeCount, ChangedFile, Changes } from './core/changes.ts';
export type { ThreadInfo } from './core/conversation/session-file.ts';
export type { TrajectoryStep } from './core/conversation/trajectory.ts';
export { type ErrorCode, EXIT_CODES, ZwarmError } from './core/errors.ts';
export type { SessionId } from './core/ids.ts';
export type { DigestSection, Slept } from './core/rules/digest.ts';
export type { Metadata } from './core/rules/metadata.ts';
export type {
  Message,
  Sandbox,
  SessionDetail,
  SessionError,
  SessionSummary,
  TokenUsage,
  TurnView,
} from './core/session.ts';
export type { SessionEvent, SessionEventName } from './core/session-event.ts';
export type { SessionStatus } from './core/status.ts';
export type { UsageGroup, UsageRow } from './core/usage-groups.ts';
export type { CleanedSession, CleanOptions, CleanResult, SkippedSession } from './manager/commands/clean.ts';
export type { Compacted, CompactOptions } from './manager/commands/compact.ts';
export type { Diff, DiffOptions } from './manager/commands/diff.ts';
export type { Digest, DigestOptions } from './manager/commands/digest.ts';
export type { EventsBatch, EventsOptions } from './manager/commands/events.ts';
export type { Forked, ForkOptions } from './manager/commands/fork.ts';
export type { Imported, ThreadFilter } from './manager/commands/import.ts';
export type { InjectOptions } from './manager/commands/inject.ts';
export type { Killed, KillOptions } from './manager/commands/kill.ts';
export type { ListOptions } from './manager/commands/ls.ts';
export type { RewindOptions, Rewound } from './manager/commands/rewind.ts';
export type { Hit, SearchOptions } from './manager/commands/search.ts';
export type { Undone, UndoOptions } from './manager/commands/undo.ts';
export type { Usage, UsageOptions } from './manager/commands/usage.ts';
export type { FollowStepsOptions } from './manager/follow/follow-turns.ts';
export type { StartedTurn } from './manager/launch/launch-turn.ts';
export type { StartOptions } from './manager/launch/new-record.ts';
export type { GotOrStarted } from './manager/launch/start-once.ts';
export type { DetailOptions, HistoryOptions } from './manager/session/read-session.ts';

/** Where to look for sessions, and what agents inherit; everything left out is this process's own. */
export interface OpenOptions {
  readonly cwd?: string;
  /** The state directory, instead of the one that `cwd` leads to. */
  readonly stateDir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * The name of the program, in small letters: its sessions and turns are recorded as `lib:<client>`, and what it has seen
   * and what needs its attention is told apart from yours. It may do what you may.
   */
  readonly client?: string;
}

const SHARED = [
  ...['start', 'getOrStart', 'list', 'resolve', 'get', 'steps', 'followSteps', 'inject', 'wait'],
  ...['markSeen', 'kill', 'remove', 'clean', 'fork', 'rewind', 'compact', 'search', 'usage', 'agents'],
  ...['importable', 'importThread', 'events', 'digest', 'diff', 'diffBetween', 'undo'],
] as const;

/** What the command line does with sessions, too. */
type Shared = Pick<SessionManager, (typeof SHARED)[number]>;

/** What can be done with the sessions of a project. Every error is a ZwarmError with a code, a message and a hint. */
export interface Sessions extends Shared {
  /** What the agent is to know of a conversation, at most so many messages or characters, beginning with the user's. */
  history(ref: string, options?: HistoryOptions): Promise<readonly Message[]>;
  /** What was said, without what was rewound; with `full` also what the agent did, as messages of role `tool`. */
  messages(ref: string, options?: DetailOptions): Promise<readonly Message[]>;
  /** What the agent printed in a turn, byte for byte and as far as it has come, piece by piece. */
  output(id: SessionId, turn: number): AsyncIterable<Uint8Array>;
}

async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Each piece is overwritten by the next one.
  for await (const piece of pieces) yield Uint8Array.from(piece);
}

function refuse(error: unknown): never {
  throw toZwarmError(error);
}

async function* piecesOf(pieces: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    yield* pieces;
  } catch (error) {
    refuse(error);
  }
}

const isPieces = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** The same function, of which every error is a ZwarmError, when it is called or later. */
function withOwnErrors(call: (...given: never[]) => unknown) {
  return (...given: never[]): unknown => {
    try {
      const result = call(...given);
      if (result instanceof Promise) return result.catch(refuse);
      return isPieces(result) ? piecesOf(result) : result;
    } catch (error) {
      return refuse(error);
    }
  };
}

/**
 * The sessions of a project. Nothing is read before the first call, and nothing is created before the first `start`.
 * @throws ZwarmError `usage` where the name of the client is not valid
 */
export function openSessions(options: OpenOptions = {}): Sessions {
  const cwd = resolve(options.cwd ?? process.cwd());
  const manager = createSessionManager({
    ...installation(),
    cwd,
    env: options.env ?? process.env,
    uid: process.getuid?.() ?? 0,
    stateDir: options.stateDir === undefined ? null : resolve(cwd, options.stateDir),
    client: options.client === undefined ? null : programSource(options.client),
  });
  const { followOutput, get, history, list } = manager;
  const all = {
    ...Object.fromEntries(SHARED.map((name) => [name, manager[name]])),
    get: (ref: string, options?: DetailOptions) => get(ref, { countsLeft: true, ...options }),
    list: (options?: ListOptions) => list({ countsLeft: true, ...options }),
    history: async (ref: string, options?: HistoryOptions) => (await history(ref, options)).messages,
    messages: async (ref: string, detail?: DetailOptions) => (await get(ref, detail)).messages,
    output: (id: SessionId, turn: number) => copies(followOutput(id, 'events', { turn })),
  };
  const guarded = Object.entries(all).map(([name, call]) => [name, withOwnErrors(call)]);
  return Object.fromEntries(guarded) as Sessions;
}
