import { ZwarmError } from '../../core/errors.ts';
import { livenessOf } from '../../process/identity.ts';
import { giveUpName, holderOf, readBuiltRequest } from '../../store/names.ts';
import { hasSession } from '../../store/sessions.ts';
import type { ManagerContext, Session, Store } from '../context.ts';
import { readRow } from '../session/session-summary.ts';

function taken(name: string, by: string, hint: string): ZwarmError {
  return new ZwarmError('name_taken', `the name ${name} is taken: ${by}`, hint);
}

async function takenBy(context: ManagerContext, name: string, session: Session): Promise<ZwarmError> {
  const { id } = session;
  const row = await readRow(session, context.now());
  return row === null
    ? taken(name, `${id}, which is being removed`, `finish its removal: zwarm rm ${id}`)
    : taken(
        name,
        `${id}, ${row.status}`,
        `choose another name, or go on with that session: zwarm inject ${name} "…"`,
      );
}

/**
 * Makes sure that no session has this name. A command that was killed just before its session appeared may have left the
 * name behind: it becomes free. @throws ZwarmError `name_taken`, with the session that has it
 */
export async function requireFreeName(
  context: ManagerContext,
  store: Store,
  name: string | null,
): Promise<void> {
  const id = name === null ? null : holderOf(store.root, name);
  if (name === null || id === null) return;
  const session = { store, id };
  const request = readBuiltRequest(session);
  // After that look: what is not being built any more may have appeared.
  if (hasSession(session)) throw await takenBy(context, name, session);
  if (request !== null && livenessOf(request.claimer) !== 'no')
    throw taken(name, `${id}, which is being created`, 'choose another name');
  giveUpName(session, name, context.newNonce());
}
