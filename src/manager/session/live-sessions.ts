import type { SessionId } from '../../core/ids.ts';
import type { SessionSummary } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { marksOf } from '../../core/turn-mark.ts';
import { anyBears, anyMemberLives, type Census, createCensus } from '../../process/bearers.ts';
import { listSessionIds, readCancel } from '../../store/sessions.ts';
import { type ManagerContext, openForReading, type Store } from '../context.ts';
import { readRow } from './current-turn.ts';

/** Whether there is something of a session to end: also what a kill that was killed itself has left. */
function isToEnd(store: Store, id: SessionId, row: SessionSummary | null, census: Census): boolean {
  if (row === null) return false;
  const { status, turn } = row;
  if (status === 'damaged') return anyBears(marksOf(store, id), census);
  if (!isFinal(status) || turn === null) return status === 'running' || status === 'pending';
  return anyMemberLives(marksOf(store, id, turn), census) && readCancel(store.root, id, turn) !== null;
}

/** The sessions of which something is to be ended, from their own files, never from summaries. */
export async function listLive(context: ManagerContext): Promise<SessionId[]> {
  const store = openForReading(context);
  if (store === null) return [];
  const live: SessionId[] = [];
  const census = createCensus();
  for (const id of listSessionIds(store.root)) {
    const row = await readRow(store, id, context.now(), census);
    if (isToEnd(store, id, row, census)) live.push(id);
  }
  return live;
}
