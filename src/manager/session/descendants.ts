import { isSessionId, type SessionId } from '../../core/ids.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { listSessionIds, readSessionRecord } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { listLive } from './live-sessions.ts';

/** The session whose agent started this one, or null: also for one that is gone or damaged. */
function parentOf(store: Store, id: SessionId): SessionId | null {
  const parent = unlessDamaged(() => readSessionRecord(store, id))?.record.parent ?? null;
  return parent !== null && isSessionId(parent) ? parent : null;
}

/** The sessions above one, its parent first: each once. */
function ancestorsOf(id: SessionId, parent: (id: SessionId) => SessionId | null): ReadonlySet<SessionId> {
  const above = new Set<SessionId>();
  for (let next = parent(id); next !== null && next !== id && !above.has(next); next = parent(next)) {
    above.add(next);
  }
  return above;
}

/** All that a session has started, directly or not; in no order. */
export function descendantsOf(store: Store, ancestor: SessionId): readonly SessionId[] {
  const parents = new Map(listSessionIds(store.root).map((id) => [id, parentOf(store, id)]));
  return [...parents.keys()].filter(
    (id) => id !== ancestor && ancestorsOf(id, (one) => parents.get(one) ?? null).has(ancestor),
  );
}

/** Those of them of which there is something to end. */
export async function livingDescendants(
  context: ManagerContext,
  store: Store,
  ancestor: SessionId,
): Promise<readonly SessionId[]> {
  const live = new Set(await listLive(context));
  return descendantsOf(store, ancestor).filter((id) => live.has(id));
}
