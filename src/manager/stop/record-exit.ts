import { errnoOf } from '../../core/errors.ts';
import { createFile, isDiskFull, publishName } from '../../store/files.ts';
import { exitName, type TurnDir, turnFile } from '../../store/layout.ts';
import { type ExitRecord, encode } from '../../store/records.ts';

/**
 * Records the end of a turn that has no runner to do it: the exit code is unknown. On a full disk an empty file records
 * it. A runner that has recorded the end at the same moment wins.
 */
export function recordEnd(turn: TurnDir, how: Pick<ExitRecord, 'why' | 'detail' | 'cancelled'>): void {
  const record: ExitRecord = { v: 1, code: null, ...how, uptime: null, ended_at: null, events_bytes: null };
  try {
    createFile(turnFile(turn, 'exit'), encode(record));
  } catch (error) {
    if (isDiskFull(error)) publishName(exitName(turn, null));
    else if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
