import { statSync } from 'node:fs';
import { ZwarmError } from '../../core/errors.ts';
import { isSessionId, matchPrefix, parseRef, type SessionId } from '../../core/ids.ts';
import { sessionFile } from '../../store/layout.ts';
import { holderOf } from '../../store/names.ts';
import { listStores } from '../../store/project-store.ts';
import { hasSession, listSessionIds } from '../../store/sessions.ts';
import {
  type ManagerContext,
  openForReading,
  openStore,
  type Session,
  type Store,
  stateDirectory,
} from '../context.ts';
import { callerOf, USER } from './caller.ts';

/** The shortest prefix that names a session: for most verbs, for those that end or delete, in other projects. */
const MIN_PREFIX = 3;
export const MIN_PREFIX_DESTRUCTIVE = 4;
const MIN_PREFIX_EVERYWHERE = 6;

/** The nth newest session of a store, 0 for the newest; no record is read for that. */
function nthNewest(store: Store, back: number): SessionId {
  const sessions = listSessionIds(store.root).map((id) => ({
    id,
    // Written once, when the session was created; a damaged session may have none.
    ms: statSync(sessionFile({ store, id }), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  sessions.sort((a, b) => b.ms - a.ms || (a.id < b.id ? -1 : 1));
  const found = sessions[back];
  if (found !== undefined) return found.id;
  throw new ZwarmError('not_found', `this project has ${sessions.length} sessions`, 'see: zwarm ls --all');
}

/** The session of a store with this id, or else this name, or else this beginning of its id. */
function findIn(store: Store, text: string, minPrefix: number): SessionId | null {
  if (isSessionId(text) && hasSession({ store, id: text })) return text;
  const holder = holderOf(store.root, text);
  if (holder !== null && hasSession({ store, id: holder })) return holder;
  const ids = listSessionIds(store.root);
  return ids.some((id) => id.startsWith(text)) ? matchPrefix(text, ids, minPrefix) : null;
}

/** The sessions of other projects whose ids begin so; agents see none. */
function findElsewhere(context: ManagerContext, own: Store | null, text: string) {
  if (callerOf(context).source !== USER || text.length < MIN_PREFIX_EVERYWHERE) return [];
  const others = listStores(stateDirectory(context)).filter(({ root }) => root !== own?.root);
  return others.flatMap((store) =>
    listSessionIds(store.root).flatMap((id) => (id.startsWith(text) ? [{ store, id }] : [])),
  );
}

/**
 * The session that a reference means: in this project by id, name, unique prefix of an id or `@last`; elsewhere, for the
 * user alone, by id or a prefix of six characters. @throws ZwarmError `usage`, `not_found`, `ambiguous`
 */
export function locateSession(
  context: ManagerContext,
  text: string,
  { minPrefix = MIN_PREFIX, forWriting = false } = {},
): Session {
  const ref = parseRef(text);
  const store = openForReading(context, forWriting);
  if (ref.kind === 'last') {
    if (store !== null) return { store, id: nthNewest(store, ref.back) };
    throw new ZwarmError('not_found', 'this project has no sessions', 'start one: zwarm start "task"');
  }
  const own = store === null ? null : findIn(store, text, minPrefix);
  if (store !== null && own !== null) return { store, id: own };
  const elsewhere = findElsewhere(context, store, text);
  const ids = elsewhere.map(({ id }) => id);
  const id = matchPrefix(text, ids, MIN_PREFIX_EVERYWHERE);
  const found = elsewhere.find((one) => one.id === id);
  if (found === undefined) throw new TypeError(`${id} was found in no store`);
  return { store: openStore(context, found.store, forWriting), id };
}
