import { errnoOf } from '../../core/errors.ts';
import { createFile, isDiskFull, publishName } from '../../store/files.ts';
import { exitName, type TurnDir, turnFile } from '../../store/layout.ts';
import { type ExitRecord, encode } from '../../store/records.ts';

/** Records the end of a turn without a runner, on a full disk by an empty file. A runner that was first wins. */
export function recordEnd(turn: TurnDir, end: Pick<ExitRecord, 'why' | 'detail' | 'cancelled'>): void {
  const record: ExitRecord = { v: 1, code: null, ...end, uptime: null, ended_at: null, events_bytes: null };
  try {
    createFile(turnFile(turn, 'exit'), encode(record));
  } catch (error) {
    if (isDiskFull(error)) publishName(exitName(turn, null));
    else if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
