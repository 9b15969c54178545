import { isSessionId, type SessionId } from '../../core/ids.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { listSessionIds, readSessionRecord } from '../../store/sessions.ts';
import type { ManagerContext, Session, Store } from '../context.ts';
import { listLive } from './live-sessions.ts';

/** The session whose agent started this one, or null; null also for a damaged session. */
function parentOf(store: Store, id: SessionId): SessionId | null {
  const parent = unlessDamaged(() => readSessionRecord({ store, id }))?.parent ?? null;
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

/** The sessions that a session has started, directly or not; in no order. */
export function descendantsOf({ store, id: ancestor }: Session): readonly SessionId[] {
  const parents = new Map(listSessionIds(store.root).map((id) => [id, parentOf(store, id)]));
  return [...parents.keys()].filter(
    (id) => id !== ancestor && ancestorsOf(id, (one) => parents.get(one) ?? null).has(ancestor),
  );
}

/**
 * The descendants of a session of which something has to be ended. While the caller ends them they may start others:
 * so they come in rounds, each session once, until nothing new lives.
 */
export async function* livingDescendants(
  context: ManagerContext,
  ancestor: Session,
): AsyncGenerator<readonly SessionId[]> {
  const known = new Set<SessionId>();
  for (;;) {
    const live = new Set(await listLive(context));
    const found = descendantsOf(ancestor).filter((id) => live.has(id) && !known.has(id));
    if (found.length === 0) return;
    for (const id of found) known.add(id);
    yield found;
  }
}
