import type { SessionSummary } from '../session.ts';
import { isActive, isFinal } from '../status.ts';

/**
 * Whether a session has ended after turn `seen`, the newest whose end this caller saw (null: unknown); null: cannot tell.
 * The user cares for all sessions, any other caller for those that it started itself.
 */
export function needsAttention(
  { status, turn, source }: Pick<SessionSummary, 'status' | 'turn' | 'source'>,
  caller: string,
  seen: number | null,
): boolean | null {
  if (isActive(status) || status === 'ready') return false;
  if (!isFinal(status) || turn === null) return null;
  if (caller !== 'user' && source !== caller) return false;
  return seen === null ? null : turn > seen;
}
