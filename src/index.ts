/**
 * zwarm as a library: the same verbs as the command line, over the same files.
 *
 * @example
 * import { openSessions } from 'zwarm';
 * const sessions = openSessions();
 * const { id } = await sessions.start({ task: 'fix the tests' });
 * await sessions.wait(id);
 * console.log((await sessions.get(id)).last_message);
 */
import { resolve } from 'node:path';
import { installation } from './installation.ts';
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
export type { FollowOptions } from './manager/follow.ts';
export type { FollowStepsOptions } from './manager/follow-steps.ts';
export type { StartedTurn } from './manager/launch.ts';
export type { ListOptions } from './manager/list.ts';
export type { CleanResult } from './manager/remove.ts';
export type { SessionManager } from './manager/session-manager.ts';
export type { StartOptions } from './manager/start.ts';

/** Where to look for sessions, and what agents inherit; everything left out is this process's own. */
export interface OpenOptions {
  readonly cwd?: string;
  /** The state directory, instead of the one that `cwd` leads to. */
  readonly stateDir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The sessions of a project. Nothing is read before the first call, and nothing is created before the first `start`. */
export function openSessions(options: OpenOptions = {}): SessionManager {
  const cwd = resolve(options.cwd ?? process.cwd());
  return createSessionManager({
    ...installation(),
    cwd,
    env: options.env ?? process.env,
    uid: process.getuid?.() ?? 0,
    stateDir: options.stateDir === undefined ? null : resolve(cwd, options.stateDir),
  });
}
