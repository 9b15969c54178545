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
import type { SessionId } from './core/ids.ts';
import type { Message } from './core/session.ts';
import { installation } from './installation.ts';
import type { DetailOptions } from './manager/session/read-session.ts';
import { createSessionManager, type SessionManager } from './manager/session-manager.ts';

export type { TrajectoryStep } from './core/conversation/trajectory.ts';
export { type ErrorCode, EXIT_CODES, ZwarmError } from './core/errors.ts';
export type { SessionId } from './core/ids.ts';
export type {
  Message,
  Sandbox,
  SessionDetail,
  SessionError,
  SessionStatus,
  SessionSummary,
  TokenUsage,
  TurnView,
} from './core/session.ts';
export type { CleanResult } from './manager/commands/clean.ts';
export type { Compacted, CompactOptions } from './manager/commands/compact.ts';
export type { Forked, ForkOptions } from './manager/commands/fork.ts';
export type { InjectOptions } from './manager/commands/inject.ts';
export type { KillOptions } from './manager/commands/kill.ts';
export type { ListOptions } from './manager/commands/ls.ts';
export type { Rewound } from './manager/commands/rewind.ts';
export type { StartOptions } from './manager/commands/start.ts';
export type { FollowStepsOptions } from './manager/follow/follow-turns.ts';
export type { StartedTurn } from './manager/launch/launch-turn.ts';
export type { DetailOptions, HistoryOptions } from './manager/session/read-session.ts';

/** Where to look for sessions, and what agents inherit; everything left out is this process's own. */
export interface OpenOptions {
  readonly cwd?: string;
  /** The state directory, instead of the one that `cwd` leads to. */
  readonly stateDir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const SHARED = [
  ...['start', 'list', 'resolve', 'get', 'steps', 'followSteps', 'history', 'inject', 'wait'],
  ...['markSeen', 'kill', 'remove', 'clean', 'fork', 'rewind', 'compact'],
] as const;

/** What the command line does with sessions, too. */
type Shared = Pick<SessionManager, (typeof SHARED)[number]>;

/** What can be done with the sessions of a project. Every error is a ZwarmError with a code, a message and a hint. */
export interface Sessions extends Shared {
  /** What was said, without what was wound back; with `full` also what the agent did, as messages of role `tool`. */
  messages(ref: string, options?: DetailOptions): Promise<readonly Message[]>;
  /** What the agent printed in a turn, byte for byte and as far as it has come, piece by piece. */
  output(id: SessionId, turn: number): AsyncIterable<Uint8Array>;
}

async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Each piece is overwritten by the next one.
  for await (const piece of pieces) yield Uint8Array.from(piece);
}

/** The sessions of a project. Nothing is read before the first call, and nothing is created before the first `start`. */
export function openSessions(options: OpenOptions = {}): Sessions {
  const cwd = resolve(options.cwd ?? process.cwd());
  const manager = createSessionManager({
    ...installation(),
    cwd,
    env: options.env ?? process.env,
    uid: process.getuid?.() ?? 0,
    stateDir: options.stateDir === undefined ? null : resolve(cwd, options.stateDir),
  });
  return {
    ...(Object.fromEntries(SHARED.map((name) => [name, manager[name]])) as unknown as Shared),
    messages: async (ref, detail) => (await manager.get(ref, detail)).messages,
    output: (id, turn) => copies(manager.followOutput(id, 'events', { turn })),
  };
}
