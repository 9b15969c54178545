import { isSessionId, type SessionId } from '../core/ids.ts';
import { sealedSource } from '../store/seals.ts';
import type { Store } from './context.ts';

/*
 * Who started a session, as its seal keeps it. Its record says so too, for people; but that lies within the reach of
 * agents, which must not choose whose they are.
 */

/** A session and who started it. */
export interface Link {
  readonly id: SessionId;
  readonly source: string;
}

/** Who started a session; null where it has no seal of ours. */
export function originOf({ root, sealsDir }: Store, id: SessionId): string | null {
  return sealedSource(sealsDir, root, id);
}

function parentIn(source: string): SessionId | null {
  const id = /^orchestrator:(.*)$/s.exec(source)?.[1];
  return id !== undefined && isSessionId(id) ? id : null;
}

/** A session with those above it, nearest first; not `complete` where one of them is gone: nobody knows what was above. */
export function descentOf(
  store: Store,
  id: SessionId,
): { readonly links: readonly Link[]; readonly complete: boolean } {
  const links: Link[] = [];
  for (let at: SessionId | null = id; at !== null; ) {
    const source = originOf(store, at);
    if (source === null || links.some((link) => link.id === at)) return { links, complete: false };
    links.push({ id: at, source });
    at = parentIn(source);
  }
  return { links, complete: true };
}
