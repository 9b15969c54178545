import { listSessions } from '../../store/sessions.ts';
import { createSummaryReader, type Listed } from '../../store/summary.ts';
import type { Session, Store } from '../context.ts';
import { computeListedTogether, FOLD_VERSION } from './session-summary.ts';

/** What a list shows of every session of a store, or of these, in no order; from summaries where they tell it. */
export async function forEachSession(
  store: Store,
  nowMs: number,
  tell: (session: Session, listed: Listed) => void,
  { directories, others }: ReturnType<typeof listSessions> = listSessions(store.root),
): Promise<void> {
  const readSummaryFile = createSummaryReader(store, FOLD_VERSION);
  // A file or link in the place of a session has no summary.
  const rest = [...others];
  for (const id of directories) {
    const summary = readSummaryFile(id);
    if (summary === null) rest.push(id);
    else tell({ store, id }, summary);
  }
  const sessions = rest.map((id) => ({ store, id }));
  for await (const [session, listed] of computeListedTogether(sessions, nowMs))
    if (listed !== null) tell(session, listed);
}
