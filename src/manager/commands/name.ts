import { ZwarmError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import { giveUpName, takeName } from '../../store/names.ts';
import { requireOwn } from '../access/permissions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { requireFreeName } from '../launch/free-name.ts';

/** Gives a session a name; null takes it away. @throws ZwarmError `usage`, `not_allowed`, `name_taken` */
export async function rename(context: ManagerContext, session: Session, name: string | null) {
  const wanted = name === null ? null : parseName(name);
  const { store, id } = session;
  requireOwn(context, session);
  const old = store.names.get(id) ?? null;
  if (wanted === null && old === null)
    throw new ZwarmError('usage', `${id} has no name`, `give it one: zwarm name ${id} NAME`);
  if (wanted !== null && wanted !== old) {
    await requireFreeName(
      context,
      store,
      wanted,
      (other) => `choose another name, or take this one away there first: zwarm name ${other} -`,
    );
    takeName(session, wanted);
  }
  if (old !== null && old !== wanted) giveUpName(session, old, context.newNonce());
  return { id, name: wanted };
}
