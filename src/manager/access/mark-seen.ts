import { errnoOf, ZwarmError } from '../../core/errors.ts';
import { isFinal } from '../../core/status.ts';
import { marksDir, writeMark } from '../../store/seen.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { readTurnNow } from '../session/current-turn.ts';
import { callerOf } from './caller.ts';

/** Whether the end of a turn can be seen now; the marker of a rewind has none. */
async function hasEnded(context: ManagerContext, turn: Turn): Promise<boolean> {
  try {
    const { request, verdict } = await readTurnNow(turn, context.now());
    return request.kind !== 'rewind' && isFinal(verdict.status);
  } catch (error) {
    // Removed or damaged since it was shown: nothing is left that could need attention.
    if (error instanceof ZwarmError && ['not_found', 'damaged'].includes(error.code)) return false;
    throw error;
  }
}

/**
 * Marks that this caller has seen the end of a turn, so that it needs no attention any more; nothing while it has none.
 * @throws ZwarmError `usage` where no home is known, or the error of the file system
 */
export async function markSeen(context: ManagerContext, turn: Turn): Promise<void> {
  if (!(await hasEnded(context, turn))) return;
  const { store, id } = turn;
  try {
    writeMark(marksDir(store.state, callerOf(context).source, store.id), id, turn.turn);
  } catch (error) {
    // In the sandbox of an agent zwarm only reads.
    if (!context.env['ZWARM_SESSION_ID'] || errnoOf(error) === null) throw error;
  }
}
