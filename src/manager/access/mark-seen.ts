import { errnoOf } from '../../core/errors.ts';
import { isFinal } from '../../core/status.ts';
import { whyNotOurs } from '../../store/own-place.ts';
import { marksDir, writeMark } from '../../store/seen.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { readTurnStateOrDamaged } from '../session/current-turn.ts';
import { unlessGone } from '../session/damage.ts';
import { callerOf } from './caller.ts';

/** Marks that this caller has seen the end of a turn; nothing while it has none. @throws ZwarmError `usage` */
export async function markSeen(context: ManagerContext, turn: Turn): Promise<void> {
  const state = await unlessGone(readTurnStateOrDamaged(turn, context.now()));
  if (state === null || state.isMarker || !isFinal(state.verdict.status)) return;
  const { store, id } = turn;
  // A reader leaves nothing in the home of another user.
  if (whyNotOurs(context, store.state) !== null) return;
  try {
    writeMark(marksDir(store.state, callerOf(context).source, store.id), id, turn.turn);
  } catch (error) {
    // In the sandbox of an agent zwarm only reads.
    if (!context.env['ZWARM_SESSION_ID'] || errnoOf(error) === null) throw error;
  }
}
