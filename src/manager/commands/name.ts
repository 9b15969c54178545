import { ZwarmError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import { giveUpName, holderOf, moveName } from '../../store/names.ts';
import { hasSession } from '../../store/sessions.ts';
import { requireOwn } from '../access/permissions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { refusePosing } from '../launch/free-name.ts';

/** Gives a session a name, which no other has then; null takes it away. @throws ZwarmError `usage`, `not_allowed` */
export function rename(context: ManagerContext, session: Session, name: string | null) {
  const wanted = name === null ? null : parseName(name);
  const { store, id } = session;
  requireOwn(context, session);
  if (wanted !== null) refusePosing(context, store, wanted);
  const old = store.names.get(id) ?? null;
  const holder = wanted === null ? null : holderOf(store.root, wanted);
  const other = holder !== null && holder !== id && hasSession({ store, id: holder }) ? holder : null;
  if (other !== null) requireOwn(context, { store, id: other });
  if (wanted === null && old === null)
    throw new ZwarmError('usage', `${id} has no name`, `give it one: zwarm name ${id} NAME`);
  if (wanted !== null && wanted !== old) moveName(session, wanted, context.newNonce());
  if (old !== null && old !== wanted) giveUpName(session, old, context.newNonce());
  return { id, name: wanted, takenFrom: other };
}
