import { ZwarmError } from '../core/errors.ts';
import { type Candidate, isSessionId, parseRef, resolveRef, type SessionId } from '../core/ids.ts';
import { DamagedRecord } from '../store/read-file.ts';
import { hasSession, listSessionIds, readSessionRecord } from '../store/sessions.ts';
import type { Store } from './context.ts';

/** A prefix names a session from this length on; verbs that end or delete one want a character more. */
const MIN_PREFIX = 3;
export const MIN_PREFIX_DESTRUCTIVE = 4;

function candidate(root: string, id: SessionId): Candidate {
  try {
    const { record } = readSessionRecord(root, id);
    return { id, name: record.name, createdAt: record.created_at };
  } catch (error) {
    // A damaged session can still be named by its id.
    if (error instanceof DamagedRecord) return { id, name: null, createdAt: '' };
    throw error;
  }
}

/** The session that a command-line argument means. @throws ZwarmError `usage`, `not_found`, `ambiguous` */
export function resolveSession(store: Store | null, text: string, minPrefix = MIN_PREFIX): SessionId {
  const ref = parseRef(text);
  if (store === null)
    throw new ZwarmError('not_found', `no session ${text}`, 'start one: zwarm start "task"');
  // A full id needs no look at the other sessions.
  if (isSessionId(text) && hasSession(store.root, text)) return text;
  const candidates = listSessionIds(store.root).map((id) => candidate(store.root, id));
  return resolveRef(ref, candidates, minPrefix);
}
