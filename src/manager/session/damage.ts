import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { shellWord } from '../../core/shell-word.ts';
import { sessionDir } from '../../store/layout.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { hasSession } from '../../store/sessions.ts';
import type { Session } from '../context.ts';

/*
 * A session disappears by one rename: when it is gone after a reading, what was read of it counts for nothing.
 */

/** What to do about records that cannot be read: what they hold may be all that there is of it. */
export const lookAtFiles = (session: Session): string =>
  `look at its files: ls -R ${shellWord(sessionDir(session))}`;

/** The error of a session that was removed, or is being removed. */
export function removedError(id: SessionId, cause?: unknown): ZwarmError {
  return new ZwarmError('not_found', `${id} was removed`, 'see: zwarm ls', cause);
}

/** The error of a turn that a session does not have. */
export function unknownTurn(id: SessionId, turn: number, last: number): ZwarmError {
  return new ZwarmError('usage', `${id} has no turn ${turn}`, `its turns go from 1 to ${last}`);
}

/** An error of reading a session as `not_found` or `damaged` where it means that; any other as it is. */
export function damageError(session: Session, error: unknown): unknown {
  const { id } = session;
  if (!hasSession(session)) return removedError(id, error);
  if (!(error instanceof DamagedRecord)) return error;
  const what = `the records of ${id} cannot be read: ${error.message}`;
  return new ZwarmError('damaged', what, lookAtFiles(session), error);
}

/** Reads something of a session that still exists afterwards. @throws ZwarmError `not_found`, `damaged` */
export async function orDamaged<T>(session: Session, read: () => Promise<T>): Promise<T> {
  const found = await read().catch((error: unknown) => {
    throw damageError(session, error);
  });
  if (!hasSession(session)) throw removedError(session.id);
  return found;
}

/** The same for items that are read one by one. @throws ZwarmError likewise */
export function* walkOrDamaged<T>(session: Session, items: Iterable<T>): Generator<T> {
  try {
    yield* items;
  } catch (error) {
    throw damageError(session, error);
  }
  if (!hasSession(session)) throw removedError(session.id);
}

/** What is read of a session, or null where that was removed or is damaged. */
export async function unlessGone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ZwarmError && (error.code === 'not_found' || error.code === 'damaged')) return null;
    throw error;
  }
}
