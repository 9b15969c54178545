import type { SessionState } from '../session.ts';
import { isActive, isFinal } from '../status.ts';

/**
 * Whether somebody should look at a session: it has ended, and this caller has not seen the end of that turn. `seen` is
 * the newest turn whose end the caller has seen, 0 for none, or null where nobody knows. Null where it cannot be told.
 */
export function needsAttention(
  { status, turn }: Pick<SessionState, 'status' | 'turn'>,
  seen: number | null,
): boolean | null {
  if (isActive(status)) return false;
  if (status === 'damaged' || !isFinal(status) || turn === null || seen === null) return null;
  return turn > seen;
}
