import { isSessionId, type SessionId } from '../core/ids.ts';
import { unlessDamaged } from '../store/read-file.ts';
import { hasSession, readSessionRecord } from '../store/sessions.ts';
import type { Store } from './context.ts';

function parentOf(store: Store, id: SessionId): SessionId | null {
  if (!hasSession(store.root, id)) return null;
  const parent = unlessDamaged(() => readSessionRecord(store.root, id).record.parent) ?? null;
  return parent !== null && isSessionId(parent) ? parent : null;
}

/** The sessions above one, nearest first; one that was removed ends the list. */
export function ancestorsOf(store: Store, id: SessionId): readonly SessionId[] {
  const above: SessionId[] = [];
  // Whoever plants a circle of parents keeps nobody busy.
  for (let at = parentOf(store, id); at !== null && !above.includes(at); at = parentOf(store, at)) {
    above.push(at);
  }
  return above;
}
