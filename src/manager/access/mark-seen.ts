import { errnoOf, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import { marksDir, writeMark } from '../../store/seen.ts';
import type { ManagerContext, Store } from '../context.ts';
import { readTurnNow } from '../session/current-turn.ts';
import { callerOf } from './caller.ts';

/** Whether the end of a turn can be seen now; a mark of a rewind has none. */
async function hasEnded(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  turn: number,
): Promise<boolean> {
  try {
    const { request, verdict } = await readTurnNow(store, id, turn, context.now());
    return request.kind !== 'rewind' && isFinal(verdict.status);
  } catch (error) {
    // Gone or spoiled since it was shown: nothing is left that could ask for attention.
    if (error instanceof ZwarmError && ['not_found', 'damaged'].includes(error.code)) return false;
    throw error;
  }
}

/**
 * Marks that this caller has seen the end of a turn, so that it needs no attention any more; nothing while it has none.
 * @throws ZwarmError `usage` where no home is known, or the error of the file system
 */
export async function markSeen(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  turn: number,
): Promise<void> {
  if (!(await hasEnded(context, store, id, turn))) return;
  try {
    writeMark(marksDir(store.state, callerOf(context).source, store.id), id, turn);
  } catch (error) {
    // In the sandbox of an agent zwarm only looks.
    if (!context.env['ZWARM_SESSION_ID'] || errnoOf(error) === null) throw error;
  }
}
