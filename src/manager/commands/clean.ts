import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { createCensus } from '../../process/turn-processes.ts';
import { sessionDir } from '../../store/layout.ts';
import { isForbidden } from '../../store/read-file.ts';
import { removeLeftovers, treeBytes } from '../../store/remove.ts';
import { discardMarks } from '../../store/seen.ts';
import { hasSession, listSessionIds } from '../../store/sessions.ts';
import { requireMayEnd } from '../access/permissions.ts';
import { type ManagerContext, openForReading } from '../context.ts';
import { readRow } from '../session/session-summary.ts';
import { remove } from './rm.ts';

/** What `clean` did, or with `dryRun` would do. */
export interface CleanResult {
  readonly removed: readonly SessionId[];
  readonly skipped: readonly { readonly id: SessionId; readonly reason: string }[];
  readonly bytes: number;
}

/** Removes the sessions that ended at least `olderThanMs` ago; none from the future, as the clock was changed. */
export async function clean(
  context: ManagerContext,
  options: { readonly olderThanMs: number; readonly dryRun: boolean },
): Promise<CleanResult> {
  const store = openForReading(context, !options.dryRun);
  const removed: SessionId[] = [];
  const skipped: { id: SessionId; reason: string }[] = [];
  let bytes = 0;
  if (store === null) return { removed, skipped, bytes };
  const nowMs = context.now();
  const census = createCensus();
  for (const id of listSessionIds(store.root).sort()) {
    const session = { store, id };
    const row = await readRow(session, nowMs, census);
    const updated = parseIso(row?.updated_at ?? null);
    if (row !== null && (row.status === 'damaged' || !isFinal(row.status))) {
      skipped.push({ id, reason: row.status });
    } else if (row === null || (updated !== null && nowMs - updated >= options.olderThanMs)) {
      try {
        await requireMayEnd(context, session);
        bytes += options.dryRun ? treeBytes(sessionDir(session)) : await remove(context, session, { census });
        removed.push(id);
      } catch (error) {
        if (!(error instanceof ZwarmError) && !isForbidden(error)) throw error;
        skipped.push({ id, reason: toZwarmError(error).code });
      }
    }
  }
  if (!options.dryRun) {
    removeLeftovers(store.root, nowMs);
    discardMarks(store.state, store.id, (id) => !hasSession({ store, id }));
  }
  return { removed, skipped, bytes };
}
