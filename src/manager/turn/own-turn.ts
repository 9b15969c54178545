import { ZwarmError } from '../../core/errors.ts';
import { isSessionId, parseTurnNumber } from '../../core/ids.ts';
import { type ManagerContext, openForReading, type Turn } from '../context.ts';

/** The turn in the environment of what its runner or watcher calls. @throws ZwarmError `usage`, `not_found` */
export function ownTurn(context: ManagerContext): Turn {
  const { env } = context;
  const [id, turn] = [env['ZWARM_SESSION_ID'] ?? '', parseTurnNumber(env['ZWARM_TURN'] ?? '')];
  if (!isSessionId(id) || turn === null) {
    const what = 'the turn runner calls this, with the turn in its environment';
    throw new ZwarmError('usage', what, null);
  }
  const store = openForReading(context);
  if (store === null) throw new ZwarmError('not_found', `there is no store of ${id}`, null);
  return { store, id, turn };
}
