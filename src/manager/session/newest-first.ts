import { type Dated, newestFirst, type SessionId } from '../../core/ids.ts';
import { createCensus } from '../../process/turn-processes.ts';
import { listSessions } from '../../store/sessions.ts';
import { createSummaryReader } from '../../store/summary.ts';
import type { Store } from '../context.ts';
import { activeAt } from './active-at.ts';
import { FOLD_VERSION } from './session-summary.ts';

/** The sessions of a store in the order of `ls`: the last activity first, and last what cannot be read. */
export function inOrder(store: Store): readonly SessionId[] {
  const census = createCensus();
  const readSummaryFile = createSummaryReader(store, FOLD_VERSION);
  const { directories, others } = listSessions(store.root);
  const dated = directories.flatMap((id): Dated[] => {
    const at = readSummaryFile(id)?.active_at ?? activeAt({ store, id }, census);
    return at === 'gone' ? [] : [{ id, at: at ?? '' }];
  });
  const rest = others.map((id) => ({ id, at: '' }));
  return [...dated, ...rest].sort(newestFirst).map(({ id }) => id);
}
