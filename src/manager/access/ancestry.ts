import { isSessionId, type SessionId } from '../../core/ids.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readSessionRecord } from '../../store/sessions.ts';
import type { Session } from '../context.ts';

/** A session and who started it. */
export interface Link {
  readonly id: SessionId;
  readonly source: string;
}

/** Who started a session; null for one that is gone or damaged. */
export function sourceOf(session: Session): string | null {
  return unlessDamaged(() => readSessionRecord(session))?.source ?? null;
}

function parentIn(source: string): SessionId | null {
  const id = /^orchestrator:(.*)$/s.exec(source)?.[1];
  return id !== undefined && isSessionId(id) ? id : null;
}

/** A session with those above it, nearest first; not `complete` where one of them is gone: nobody knows what was above. */
export function ancestryOf({ store, id }: Session): {
  readonly links: readonly Link[];
  readonly complete: boolean;
} {
  const links: Link[] = [];
  for (let at: SessionId | null = id; at !== null; ) {
    const source = sourceOf({ store, id: at });
    if (source === null || links.some((link) => link.id === at)) return { links, complete: false };
    links.push({ id: at, source });
    at = parentIn(source);
  }
  return { links, complete: true };
}
