import type { SessionId } from '../../core/ids.ts';
import { livenessOf } from '../../process/identity.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { hasTurn, listTurns, readExit, readRequest, readRunner } from '../../store/sessions.ts';
import { listWriters } from '../../store/writers.ts';
import type { Session, Store, Turn } from '../context.ts';

/** Whether a turn still runs, as far as its runner or its launcher tells. */
function mayRun(turn: Turn): boolean {
  if (!hasTurn(turn) || readExit(turn) !== null) return false;
  return livenessOf(readRunner(turn)?.identity ?? readRequest(turn).claimer) !== 'no';
}

/** Whether the newest turn of a session still runs, as far as its runner or its launcher tells. */
export function isWorking(session: Session): boolean {
  const turn = unlessDamaged(() => listTurns(session).at(-1));
  return turn !== undefined && turn !== null && unlessDamaged(() => mayRun({ ...session, turn })) !== false;
}

/** The other sessions whose agents write in a directory now, each once; `id` is null for one that is not there yet. */
export function othersWriting(
  { store, id: own }: { readonly store: Store; readonly id: SessionId | null },
  directory: string,
): readonly SessionId[] {
  const there = listWriters(store.root).filter(({ id, directory: at }) => id !== own && at === directory);
  const ids = there.flatMap(({ id, turn }) =>
    unlessDamaged(() => mayRun({ store, id, turn })) === false ? [] : [id],
  );
  return [...new Set(ids)].sort();
}
