import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import type { Breach } from '../../core/rules/run-limits.ts';
import type { CancelReason } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';
import { ownIdentity } from '../../process/identity.ts';
import { isDiskFull, publishName, publishOnce } from '../../store/files.ts';
import { BUILDING_PREFIX, cancelName, turnDir, turnFile } from '../../store/layout.ts';
import { type CancelRecord, encode } from '../../store/records.ts';
import { hasSession, readRunner } from '../../store/sessions.ts';
import type { ManagerContext, Turn } from '../context.ts';
import type { SessionNow } from '../session/current-turn.ts';

/** Records that a turn is to stop; false when another command was first. @throws ZwarmError `not_found` */
export function publishCancel(
  context: ManagerContext,
  turn: Turn,
  why: CancelReason,
  reason: string | null = null,
  limit: Breach | null = null,
): boolean {
  const record: CancelRecord = { v: 1, why, reason, limit, by: ownIdentity(), at: isoTime(context.now()) };
  const temporary = join(turnDir(turn), `${BUILDING_PREFIX}${context.newNonce()}`);
  try {
    return publishOnce(turnFile(turn, 'cancel'), encode(record), temporary);
  } catch (error) {
    if (!hasSession(turn))
      throw new ZwarmError('not_found', `${turn.id} was removed by another command`, 'see: zwarm ls', error);
    if (!isDiskFull(error)) throw error;
    return publishName(cancelName(turn, why));
  }
}

/**
 * Makes the death of a launch final before a command acts on it. The runner looks for `cancel.json` after it has shown
 * itself, we look for the runner after we have published it: at least one of us sees the other, so a launch that was
 * declared dead can never start late. @throws ZwarmError `busy` when the runner has shown itself after all
 */
export function declareNeverLaunched(
  context: ManagerContext,
  { id, current }: Pick<SessionNow, 'id' | 'current'>,
): void {
  if (current === null) return;
  const { status } = current.verdict;
  // An unknown one gets here only when the user says that it does not run.
  if ((status !== 'lost' && status !== 'unknown') || current.runner !== null) return;
  publishCancel(context, current, 'never-launched');
  if (readRunner(current) === null) return;
  throw new ZwarmError('busy', `${id} has started after all`, `wait for it first: zwarm wait ${id}`);
}
