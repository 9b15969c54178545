import type { SessionId } from '../../core/ids.ts';
import { writeSummary } from '../../store/summary.ts';
import type { ManagerContext, Store } from '../context.ts';
import { FOLD_VERSION, readFinalSummary } from './current-turn.ts';

/**
 * Caches how a session stands for lists, where no agent ends whose runner would do it. Never throws: what it is for has
 * been done by now, and without a summary readers compute.
 */
export async function cacheState(context: ManagerContext, store: Store, id: SessionId): Promise<void> {
  try {
    const summary = await readFinalSummary(store, id, context.now());
    if (summary !== null) writeSummary(store, id, FOLD_VERSION, summary, context.newNonce());
  } catch {
    return;
  }
}
