import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { createCensus } from '../../process/bearers.ts';
import { livenessOf } from '../../process/identity.ts';
import { giveUpName, holderOf, isThereOrBuilt, readBuiltRequest } from '../../store/names.ts';
import { hasSession } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { readRow } from '../session/current-turn.ts';

function taken(name: string, by: string, hint: string): ZwarmError {
  return new ZwarmError('name_taken', `the name ${name} is taken: ${by}`, hint);
}

async function takenBy(
  context: ManagerContext,
  store: Store,
  name: string,
  id: SessionId,
): Promise<ZwarmError> {
  const row = await readRow(store, id, context.now(), createCensus());
  return row === null
    ? taken(name, `${id}, which is being removed`, `finish its removal: zwarm rm ${id}`)
    : taken(
        name,
        `${id}, ${row.status}`,
        `choose another name, or go on with that session: zwarm inject ${name} "…"`,
      );
}

/**
 * Makes sure that no session has this name. One that was left by a command which was killed just before its session
 * appeared becomes free. @throws ZwarmError `name_taken`, with the session that has it
 */
export async function requireFreeName(
  context: ManagerContext,
  store: Store,
  name: string | null,
): Promise<void> {
  const id = name === null ? null : holderOf(store.root, name);
  if (name === null || id === null) return;
  if (hasSession(store.root, id)) throw await takenBy(context, store, name, id);
  const request = readBuiltRequest(store.root, id);
  const isAbandoned = request === null || livenessOf(request.claimer) === 'no';
  if (isThereOrBuilt(store.root, id) && !isAbandoned)
    throw taken(name, `${id}, which is being created`, 'choose another name');
  giveUpName(store.root, name, id, context.newNonce());
}
