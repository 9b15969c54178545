import { isSessionId, type SessionId } from '../../core/ids.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import type { SessionRecord } from '../../store/records.ts';
import { listSessionIds, readSessionRecord } from '../../store/sessions.ts';
import type { Session } from '../context.ts';

/** A session with those above it. */
export interface Ancestry {
  /** Nearest first, and the session itself before them; the last one may be gone. */
  readonly ids: readonly SessionId[];
  /** Who started each of those that are there. */
  readonly sources: readonly string[];
  /** False where one of them is gone or damaged: nobody knows what was above. */
  readonly complete: boolean;
}

/** Who started a session, and who started that one, and so on. */
export function ancestryOf({ store, id }: Session): Ancestry {
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
