import type { SessionId } from '../../core/ids.ts';
import { isActive, isFinal } from '../../core/status.ts';
import { marksOfSession, marksOfTurn } from '../../core/turn-mark.ts';
import { anyLives, anyMemberLives, type Census, createCensus } from '../../process/turn-processes.ts';
import { listSessionIds, readCancel } from '../../store/sessions.ts';
import { type ManagerContext, openForReading, type Session } from '../context.ts';
import { readRow } from './session-summary.ts';

/** Whether something of a session has to be ended: also what an interrupted kill has left. */
async function isLive(session: Session, nowMs: number, census: Census): Promise<boolean> {
  const row = await readRow(session, nowMs, census);
  if (row === null) return false;
  const { status, turn: number } = row;
  if (status === 'damaged') return anyLives(marksOfSession(session), census);
  if (!isFinal(status) || number === null) return isActive(status);
  const turn = { ...session, turn: number };
  return anyMemberLives(marksOfTurn(turn), census) && readCancel(turn) !== null;
}

/** The sessions of which something has to be ended, from their own files, never from summaries. */
export async function listLive(context: ManagerContext): Promise<SessionId[]> {
  const store = openForReading(context);
  const live: SessionId[] = [];
  const census = createCensus();
  for (const id of store === null ? [] : listSessionIds(store.root))
    if (store !== null && (await isLive({ store, id }, context.now(), census))) live.push(id);
  return live;
}
