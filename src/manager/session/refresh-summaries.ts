import { listSessions } from '../../store/sessions.ts';
import { createSummaryReader } from '../../store/summary.ts';
import type { ManagerContext, Store } from '../context.ts';
import { cacheState } from './cache-state.ts';
import { FOLD_VERSION, readTurns } from './session-summary.ts';

/** How many sessions are looked at: each takes as long as in a list. */
const MOST = 50;

/**
 * Caches how sessions at rest stand of which no summary tells that: after an upgrade, and where a turn was lost, which nobody
 * settles. Each call looks at others of them, and never fails: without a summary readers compute.
 */
export async function refreshSummaries(context: ManagerContext, store: Store): Promise<void> {
  const readSummary = createSummaryReader(store, FOLD_VERSION);
  const without = listSessions(store.root).directories.filter((id) => readSummary(id) === null);
  const from = Number.parseInt(context.newNonce().slice(0, 8), 36) % without.length;
  for (const id of [...without.slice(from), ...without.slice(0, from)].slice(0, MOST))
    await readTurns({ store, id }, context.now())
      .then((reading) => cacheState(context, reading))
      .catch(() => false);
}
