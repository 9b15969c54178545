import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { isSessionId, parseTurnNumber } from '../../core/ids.ts';
import { isoTime } from '../../core/time.ts';
import { flush, publishOnce } from '../../store/files.ts';
import { BUILDING_PREFIX, turnDir, turnFile } from '../../store/layout.ts';
import { type ManagerContext, openForReading } from '../context.ts';
import { cacheState } from '../session/session-summary.ts';

/**
 * What happens once when a turn has ended: its files are flushed to the disk (a shell cannot), and how the session stands
 * is cached. The turn runner calls it, with the turn in the environment; if it never runs, nothing is lost.
 */
export async function settle(context: ManagerContext): Promise<void> {
  const id = context.env['ZWARM_SESSION_ID'] ?? '';
  const turn = parseTurnNumber(context.env['ZWARM_TURN'] ?? '');
  if (!isSessionId(id) || turn === null) {
    const what = 'settle is called by the turn runner, with the turn in its environment';
    throw new ZwarmError('usage', what, null);
  }
  const store = openForReading(context);
  if (store === null) throw new ZwarmError('not_found', `there is no store of ${id}`, null);
  const ended = { store, id, turn };
  for (const file of ['events', 'stderr', 'exit'] as const) flush(turnFile(ended, file));
  flush(turnDir(ended));
  await cacheState(context, ended, turn);
  const temporary = join(turnDir(ended), `${BUILDING_PREFIX}${context.newNonce()}`);
  publishOnce(turnFile(ended, 'notified'), `{"v":1,"at":"${isoTime(context.now())}"}\n`, temporary);
}
