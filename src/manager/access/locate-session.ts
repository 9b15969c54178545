import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import {
  type Dated,
  isSessionId,
  matchPrefix,
  newestFirst,
  parseRef,
  type SessionId,
} from '../../core/ids.ts';
import { isWithin } from '../../core/path.ts';
import { nameOfKey, parseKey } from '../../core/rules/key.ts';
import { holderOf } from '../../store/names.ts';
import { listStores } from '../../store/project-store.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { realPathOf } from '../../store/real-path.ts';
import { hasSession, listSessionIds, readSessionRecord } from '../../store/sessions.ts';
import {
  type ManagerContext,
  openForReading,
  openStore,
  type Session,
  type Store,
  stateDirectory,
} from '../context.ts';
import { forEachSession } from '../session/each-session.ts';
import { inOrder } from '../session/newest-first.ts';
import { callerOf, isUsers } from './caller.ts';

/** The shortest prefix that names a session: for most verbs, for those that end or delete, in other projects. */
export const MIN_PREFIX = 3;
const MIN_PREFIX_ENDING = 4;
export const MIN_PREFIX_EVERYWHERE = 6;

/** The nth session of a store in the order of `ls`, 0 for the first. */
function nthNewest(store: Store, back: number): SessionId {
  const ids = inOrder(store);
  const found = ids[back];
  if (found !== undefined) return found;
  throw new ZwarmError(
    'not_found',
    `this project has ${ids.length} ${ids.length === 1 ? 'session' : 'sessions'}`,
    'see: zwarm ls --all',
  );
}

/** The first session in the order of `ls` that works in a directory or below it. */
function newestIn(store: Store, directory: string): SessionId {
  const here = realPathOf(directory) ?? directory;
  const found = inOrder(store).find((id) => {
    const record = unlessDamaged(() => readSessionRecord({ store, id }));
    return record !== null && isWithin(join(record.working_dir, record.work_in ?? ''), here);
  });
  if (found !== undefined) return found;
  throw new ZwarmError('not_found', `no session works in ${here} or below`, 'see: zwarm ls --all');
}

/**
 * The session of a store with this id, or else this name, or else this beginning of its id. What is to be `ending` must be
 * meant for sure: not by the name of one that is the beginning of another's id. @throws ZwarmError `ambiguous`, `not_found`
 */
function findIn(store: Store, text: string, ending: boolean): SessionId | null {
  if (isSessionId(text) && hasSession({ store, id: text })) return text;
  const holder = holderOf(store.root, text);
  const named = holder !== null && hasSession({ store, id: holder }) ? holder : null;
  if (named !== null && !ending) return named;
  const ids = listSessionIds(store.root);
  const others = ids.filter((id) => id !== named && id.startsWith(text));
  if (named === null)
    return others.length > 0 ? matchPrefix(text, ids, ending ? MIN_PREFIX_ENDING : MIN_PREFIX) : null;
  if (others.length === 0 || text.length < MIN_PREFIX_ENDING) return named;
  throw new ZwarmError(
    'ambiguous',
    `${text} is the name of ${named} and the beginning of ${others.join(', ')}`,
    'give the whole id',
  );
}

/** The session of this project that has a name, or null. */
export function findByName(context: ManagerContext, name: string): SessionId | null {
  const store = openForReading(context);
  const id = store && holderOf(store.root, name);
  return store !== null && id !== null && hasSession({ store, id }) ? id : null;
}

/** The session of this project that this caller has begun with a key, or null. */
export const findByKey = (context: ManagerContext, key: string): SessionId | null =>
  findByName(context, nameOfKey(callerOf(context).source, parseKey(key)));

/** The sessions of other projects whose ids begin so; agents see none. */
function findElsewhere(context: ManagerContext, own: Store | null, text: string) {
  if (!isUsers(callerOf(context).source) || text.length < MIN_PREFIX_EVERYWHERE) return [];
  const others = listStores(stateDirectory(context)).filter(({ root }) => root !== own?.root);
  return others.flatMap((store) =>
    listSessionIds(store.root).flatMap((id) => (id.startsWith(text) ? [{ store, id }] : [])),
  );
}

/** The first session in the order of `ls` that stands so. */
async function newestThat(store: Store, status: 'running' | 'failed', nowMs: number): Promise<SessionId> {
  const found: Dated[] = [];
  await forEachSession(store, nowMs, ({ id }, row) => {
    if (row.status === status) found.push({ id, at: row.active_at ?? '' });
  });
  const [newest] = found.sort(newestFirst);
  if (newest !== undefined) return newest.id;
  const what = status === 'running' ? 'no session is running' : 'no session has failed';
  throw new ZwarmError('not_found', what, 'see: zwarm ls --all');
}

/**
 * The session that a reference means: in this project by id, name, unique prefix of an id, or its place in the list, such as
 * `@last`; elsewhere, for the user alone, by id or a prefix of six characters. @throws ZwarmError `usage`, `not_found`, `ambiguous`
 */
export async function locateSession(
  context: ManagerContext,
  text: string,
  { ending = false, forWriting = false } = {},
): Promise<Session> {
  const ref = parseRef(text);
  const store = openForReading(context, forWriting);
  if (ref.kind !== 'text') {
    if (store === null)
      throw new ZwarmError('not_found', 'this project has no sessions', 'start one: zwarm start "task"');
    if (ref.kind === 'last') return { store, id: nthNewest(store, ref.back) };
    if (ref.kind === 'here') return { store, id: newestIn(store, context.cwd) };
    return { store, id: await newestThat(store, ref.status, context.now()) };
  }
  const own = store === null ? null : findIn(store, text, ending);
  if (store !== null && own !== null) return { store, id: own };
  const elsewhere = findElsewhere(context, store, text);
  const ids = elsewhere.map(({ id }) => id);
  const id = matchPrefix(text, ids, MIN_PREFIX_EVERYWHERE);
  const found = elsewhere.find((one) => one.id === id);
  if (found === undefined) throw new TypeError(`${id} was found in no store`);
  return { store: openStore(context, found.store, forWriting), id };
}
