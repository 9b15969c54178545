import { isSessionId, type SessionId } from '../../core/ids.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import type { SessionRecord } from '../../store/records.ts';
import { listSessionIds, readSessionRecord } from '../../store/sessions.ts';
import type { Session } from '../context.ts';

/**
 * The ids of a session and of those above it, nearest first, and who started each. Not `complete` where the last one is
 * gone or damaged: what was above is unknown.
 */
export function ancestryOf({ store, id }: Session) {
  const ids: SessionId[] = [];
  const sources: string[] = [];
  for (let at: SessionId | null = id; at !== null; ) {
    const session: Session = { store, id: at };
    const record: SessionRecord | null = ids.includes(at)
      ? null
      : unlessDamaged(() => readSessionRecord(session));
    ids.push(at);
    if (record === null) return { ids, sources, complete: false };
    sources.push(record.source);
    at = record.parent !== null && isSessionId(record.parent) ? record.parent : null;
  }
  return { ids, sources, complete: true };
}

/** The sessions that a session has started, directly or not; in no order. */
export function descendantsOf({ store, id: ancestor }: Session): readonly SessionId[] {
  return listSessionIds(store.root).filter(
    (id) => id !== ancestor && ancestryOf({ store, id }).ids.includes(ancestor),
  );
}
