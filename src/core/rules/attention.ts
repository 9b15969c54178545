import type { SessionState } from '../session.ts';
import { isActive, isFinal } from '../status.ts';

/** Whether a session has ended after turn `seen`, the newest whose end this caller saw (null: unknown); null: cannot tell. */
export function needsAttention(
  { status, turn }: Pick<SessionState, 'status' | 'turn'>,
  seen: number | null,
): boolean | null {
  if (isActive(status)) return false;
  if (!isFinal(status) || turn === null || seen === null) return null;
  return turn > seen;
}
