import { ZwarmError } from '../core/errors.ts';
import { createCensus } from '../process/bearers.ts';
import { livenessOf } from '../process/identity.ts';
import { discardBuilt, holderOf, readBuiltRequest } from '../store/names.ts';
import { hasSession } from '../store/sessions.ts';
import type { ManagerContext, Store } from './context.ts';
import { readRow } from './read.ts';

/**
 * No session bears this name. What a command has left that was killed just before its session appeared is cleared away.
 * @throws ZwarmError `name_taken`, with the session that bears it
 */
export async function requireFreeName(
  context: ManagerContext,
  store: Store,
  name: string | null,
): Promise<void> {
  const id = name === null ? null : holderOf(store.root, name);
  if (id === null) return;
  if (hasSession(store.root, id)) {
    const row = await readRow(store, id, context.now(), createCensus());
    throw new ZwarmError(
      'name_taken',
      `the name ${name} is taken: ${id}, ${row === null ? 'which is being removed' : row.status}`,
      row === null
        ? `finish its removal: zwarm rm ${id}`
        : `choose another name, or go on with that session: zwarm inject ${name} "…"`,
    );
  }
  const request = readBuiltRequest(store.root, id);
  if (request !== null && livenessOf(request.claimer) === 'no') return discardBuilt(store.root, id);
  throw new ZwarmError('name_taken', `the name ${name} is being taken by ${id}`, 'choose another name');
}
