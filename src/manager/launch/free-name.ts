import { ZwarmError } from '../../core/errors.ts';
import { livenessOf } from '../../process/identity.ts';
import { giveUpName, holderOf, nameWords, readBuiltRequest } from '../../store/names.ts';
import { listStores } from '../../store/project-store.ts';
import { hasSession, listSessionIds } from '../../store/sessions.ts';
import { callerOf, isUsers } from '../access/caller.ts';
import { MIN_PREFIX, MIN_PREFIX_EVERYWHERE } from '../access/locate-session.ts';
import type { ManagerContext, Store } from '../context.ts';
import { computeRow } from '../session/session-summary.ts';

/** Refuses a name by which a session of another caller could be taken for one of the user's. @throws ZwarmError `not_allowed` */
export function refusePosing(context: ManagerContext, { root, state }: Store, name: string): void {
  if (isUsers(callerOf(context).source)) return;
  const roots = name.length < MIN_PREFIX_EVERYWHERE ? [root] : listStores(state).map((store) => store.root);
  const ids = name.length < MIN_PREFIX ? [] : roots.flatMap(listSessionIds);
  const id = ids.find((one) => one.startsWith(name));
  if (id === undefined) return;
  const what = `the name ${name} is the beginning of an id`;
  throw new ZwarmError('not_allowed', what, 'choose another name');
}

/**
 * Makes sure that no session has this name. One that a killed command left behind becomes free. @throws
 * ZwarmError `name_taken`, with that session, `not_allowed`
 */
export async function requireFreeName(context: ManagerContext, store: Store, name: string): Promise<void> {
  refusePosing(context, store, name);
  const id = holderOf(store.root, name);
  if (id === null) return;
  const taken = (by: string, hint: string): ZwarmError =>
    new ZwarmError('name_taken', `${nameWords(name)} is taken: ${id}, ${by}`, hint);
  const session = { store, id };
  const request = readBuiltRequest(session);
  // After that look: what is not being built any more may have appeared.
  if (hasSession(session)) {
    const row = await computeRow(session, context.now());
    if (row === null) throw taken('which is being removed', `finish its removal: zwarm rm ${id}`);
    throw taken(row.status, `choose another name, or go on with that session: zwarm inject ${name} "…"`);
  }
  if (request !== null && livenessOf(request.claimer) !== 'no')
    throw taken('which is being created', 'choose another name');
  giveUpName(session, name, context.newNonce());
}
