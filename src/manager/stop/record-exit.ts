import { errnoOf } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { ExitRecord } from '../../core/session.ts';
import { createFile, isDiskFull, publishName } from '../../store/files.ts';
import { exitName, turnFile } from '../../store/layout.ts';
import { encode } from '../../store/records.ts';
import type { Store } from '../context.ts';

/**
 * Records the end of a turn that has no runner to do it: the exit code is not known. On a full disk a name says it; a
 * runner that has recorded the end in the same moment wins. @throws DamagedRecord
 */
export function recordEnd(
  store: Store,
  id: SessionId,
  turn: number,
  how: Pick<ExitRecord, 'why' | 'detail' | 'cancelled'>,
): void {
  const record: ExitRecord = { v: 1, code: null, ...how, uptime: null, ended_at: null, events_bytes: null };
  try {
    createFile(turnFile(store.root, id, turn, 'exit'), encode(record));
  } catch (error) {
    if (isDiskFull(error)) publishName(exitName(store.root, id, turn, null));
    else if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
