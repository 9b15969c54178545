import { ZwarmError } from '../../core/errors.ts';
import { livenessOf } from '../../process/identity.ts';
import { giveUpName, holderOf, nameWords, readBuiltRequest } from '../../store/names.ts';
import { hasSession } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { readRow } from '../session/session-summary.ts';

/**
 * Makes sure that no session has this name. One that a killed command left behind becomes free. @throws
 * ZwarmError `name_taken`, with that session
 */
export async function requireFreeName(context: ManagerContext, store: Store, name: string): Promise<void> {
  const id = holderOf(store.root, name);
  if (id === null) return;
  const taken = (by: string, hint: string): ZwarmError =>
    new ZwarmError('name_taken', `${nameWords(name)} is taken: ${id}, ${by}`, hint);
  const session = { store, id };
  const request = readBuiltRequest(session);
  // After that look: what is not being built any more may have appeared.
  if (hasSession(session)) {
    const row = await readRow(session, context.now());
    if (row === null) throw taken('which is being removed', `finish its removal: zwarm rm ${id}`);
    throw taken(row.status, `choose another name, or go on with that session: zwarm inject ${name} "…"`);
  }
  if (request !== null && livenessOf(request.claimer) !== 'no')
    throw taken('which is being created', 'choose another name');
  giveUpName(session, name, context.newNonce());
}
