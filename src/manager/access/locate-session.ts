import { statSync } from 'node:fs';
import { ZwarmError } from '../../core/errors.ts';
import { isSessionId, matchPrefix, parseRef, type SessionId } from '../../core/ids.ts';
import { sessionFile } from '../../store/layout.ts';
import { holderOf } from '../../store/names.ts';
import { type KnownStore, listStores } from '../../store/project-store.ts';
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

/** How to look for a session. */
export interface LocateOptions {
  /** A prefix names a session from this length on. */
  readonly minPrefix?: number;
  readonly forWriting?: boolean;
}

const MIN_PREFIX = 3;
/** Verbs that end or delete a session want a character more. */
export const MIN_PREFIX_DESTRUCTIVE = 4;
/** A prefix this long may also name a session of another project. */
const MIN_PREFIX_EVERYWHERE = 6;

/** The sessions of a store, newest first; no record is read for that. */
function newestFirst(store: Store): SessionId[] {
  const sessions = listSessionIds(store.root).map((id) => ({
    id,
    // Written once, when the session was created; a damaged session may have none.
    ms: statSync(sessionFile({ store, id }), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  return sessions.sort((a, b) => b.ms - a.ms || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
}

function nthNewest(store: Store, back: number): SessionId {
  const ids = newestFirst(store);
  const found = ids[back];
  if (found !== undefined) return found;
  throw new ZwarmError('not_found', `this project has ${ids.length} sessions`, 'see: zwarm ls --all');
}

/** The session of a store with this id, or else this name. */
function namedIn(store: Store, text: string): SessionId | null {
  if (isSessionId(text) && hasSession({ store, id: text })) return text;
  const holder = holderOf(store.root, text);
  return holder !== null && hasSession({ store, id: holder }) ? holder : null;
}

/** The other stores, in which a text is looked up that names nothing in this project. */
function otherStores(context: ManagerContext, own: Store | null, text: string): readonly KnownStore[] {
  if (callerOf(context).source !== USER || text.length < MIN_PREFIX_EVERYWHERE) return [];
  return listStores(stateDirectory(context)).filter(({ root }) => root !== own?.root);
}

/**
 * The session that a reference means: in the project's own store by its id, its name, a unique prefix of its id, or
 * `@last`; elsewhere, for the user alone, by its id or a prefix of six characters.
 * @throws ZwarmError `usage`, `not_found`, `ambiguous`
 */
export function locateSession(
  context: ManagerContext,
  text: string,
  { minPrefix = MIN_PREFIX, forWriting = false }: LocateOptions = {},
): Session {
  const ref = parseRef(text);
  const own = openForReading(context, forWriting);
  if (ref.kind === 'last') {
    if (own !== null) return { store: own, id: nthNewest(own, ref.back) };
    throw new ZwarmError('not_found', 'this project has no sessions', 'start one: zwarm start "task"');
  }
  const named = own === null ? null : namedIn(own, text);
  if (own !== null && named !== null) return { store: own, id: named };
  const ids = own === null ? [] : listSessionIds(own.root);
  if (own !== null && ids.some((id) => id.startsWith(text)))
    return { store: own, id: matchPrefix(text, ids, minPrefix) };
  const elsewhere = otherStores(context, own, text).flatMap((store) =>
    listSessionIds(store.root).flatMap((id) => (id.startsWith(text) ? [{ store, id }] : [])),
  );
  const id = matchPrefix(
    text,
    elsewhere.map((one) => one.id),
    MIN_PREFIX_EVERYWHERE,
  );
  const found = elsewhere.find((one) => one.id === id);
  if (found === undefined) throw new TypeError(`${id} was found in no store`);
  return { store: openStore(context, found.store, forWriting), id };
}
