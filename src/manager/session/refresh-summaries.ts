import { parseIso } from '../../core/time.ts';
import { listSessions } from '../../store/sessions.ts';
import { createSummaryReader } from '../../store/summary.ts';
import type { ManagerContext, Store, Turn } from '../context.ts';
import { cacheState } from './cache-state.ts';
import type { SessionReading } from './session-state.ts';
import { FOLD_VERSION, readSessionFromStreams } from './session-summary.ts';

/** How many sessions are looked at: each takes as long as in a list. */
const MOST = 50;

const DAY_MS = 86_400_000;

/** The turns of a session that were lost of late. */
const lostOf = ({ store, id, turns }: SessionReading, nowMs: number): readonly Turn[] =>
  turns.flatMap(({ turn, verdict, request }) =>
    verdict.status === 'lost' && nowMs - (parseIso(request.at) ?? 0) < DAY_MS ? [{ store, id, turn }] : [],
  );

/**
 * Caches how sessions at rest stand of which no summary tells that: after an upgrade, and where a turn was lost, which nobody
 * settles; those are returned. Each call looks at others of them, and never fails: without a summary readers compute.
 */
export async function refreshSummaries(context: ManagerContext, store: Store): Promise<readonly Turn[]> {
  const readSummaryFile = createSummaryReader(store, FOLD_VERSION);
  const without = listSessions(store.root).directories.filter((id) => readSummaryFile(id) === null);
  const from = Number.parseInt(context.newNonce().slice(0, 8), 36) % without.length;
  const lost: Turn[] = [];
  for (const id of [...without.slice(from), ...without.slice(0, from)].slice(0, MOST))
    await readSessionFromStreams({ store, id }, context.now())
      .then((reading) => {
        // Its own settling tells more, and may have been faster.
        if (readSummaryFile(id) === null && cacheState(context, reading))
          lost.push(...lostOf(reading, context.now()));
      })
      .catch(() => undefined);
  return lost;
}
