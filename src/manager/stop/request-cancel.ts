import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import type { CancelWhy } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';
import { ownIdentity } from '../../process/identity.ts';
import { isDiskFull, publishName, publishOnce } from '../../store/files.ts';
import { BUILDING_PREFIX, cancelName, turnDir, turnFile } from '../../store/layout.ts';
import { type CancelRecord, encode } from '../../store/records.ts';
import { hasSession } from '../../store/sessions.ts';
import type { ManagerContext, Turn } from '../context.ts';

/**
 * Records that a turn is to stop; false when somebody has done so before. On a full disk an empty file records it.
 * @throws ZwarmError `not_found`
 */
export function publishCancel(
  context: ManagerContext,
  turn: Turn,
  why: CancelWhy,
  reason: string | null = null,
): boolean {
  const record: CancelRecord = { v: 1, why, reason, by: ownIdentity(), at: isoTime(context.now()) };
  const temporary = join(turnDir(turn), `${BUILDING_PREFIX}${context.newNonce()}`);
  try {
    return publishOnce(turnFile(turn, 'cancel'), encode(record), temporary);
  } catch (error) {
    if (!hasSession(turn)) {
      throw new ZwarmError('not_found', `${turn.id} was removed by another command`, 'see: zwarm ls', error);
    }
    if (!isDiskFull(error)) throw error;
    return publishName(cancelName(turn, why));
  }
}
