import { isFinal } from '../../core/status.ts';
import { writeSummary } from '../../store/summary.ts';
import type { ManagerContext, Session } from '../context.ts';
import { listedOf, readTurns } from './session-summary.ts';

/** The version of what a fold makes of a session: a summary that another version wrote is computed again. */
export const FOLD_VERSION = 6;

/** Caches for lists how a session stands, if it is final, and that `turn` (if any) speaks for it. @throws DamagedRecord */
export async function writeFinalSummary(
  context: ManagerContext,
  session: Session,
  turn: number | null = null,
): Promise<void> {
  const nowMs = context.now();
  const reading = await readTurns(session, nowMs);
  if (reading === null) return;
  const listed = listedOf(reading, nowMs);
  if (listed.status === 'damaged' || !isFinal(listed.status)) return;
  if (turn !== null && listed.turn !== turn) return;
  const newest = reading.turns.at(-1)?.turn ?? 0;
  writeSummary(session, FOLD_VERSION, { newest, listed }, context.newNonce());
}

/**
 * The same where no agent ends whose runner would do it. Never throws: the verb has done its work by now, and without a
 * summary readers compute.
 */
export async function cacheState(context: ManagerContext, session: Session): Promise<void> {
  await writeFinalSummary(context, session).catch(() => undefined);
}
