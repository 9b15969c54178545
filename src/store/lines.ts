import { closeSync, readSync } from 'node:fs';
import type { Line } from '../core/events.ts';
import { openRegular } from './read-file.ts';

const BLOCK = 1 << 18;

/** A longer line is cut here, so that no agent can make a reader run out of memory; the file keeps all of it. */
const LINE_LIMIT = 64 << 20;

/** What bounds a reading: bytes that count (the rest came after the recorded end), and whether the writer is gone. */
export interface LineRange {
  readonly limit: number | null;
  /** The last line without a newline is read too: nobody will finish it. */
  readonly ended: boolean;
}

/**
 * The lines of a stream, in blocks of bounded size, split at LF alone (U+2028 is legal inside JSON strings). Empty
 * lines are skipped but counted. A file that is not there has no lines. @throws DamagedRecord
 */
export function* readLines(path: string, { limit, ended }: LineRange): Generator<Line> {
  const file = openRegular(path);
  if (file === null) return;
  try {
    const block = Buffer.allocUnsafe(BLOCK);
    const end = limit ?? Number.POSITIVE_INFINITY;
    let pending: Buffer[] = [];
    let pendingBytes = 0;
    let position = 0;
    let seq = 0;

    function keep(bytes: Buffer): void {
      if (bytes.length === 0 || pendingBytes >= LINE_LIMIT) return;
      // A copy: the block is used again.
      pending.push(Buffer.from(bytes));
      pendingBytes += bytes.length;
    }

    function take(): Line {
      const text = Buffer.concat(pending).toString();
      pending = [];
      pendingBytes = 0;
      return { seq: seq++, text };
    }

    while (position < end) {
      const count = readSync(file.fd, block, 0, Math.min(BLOCK, end - position), position);
      if (count === 0) break;
      position += count;
      let from = 0;
      for (let at = block.indexOf(10, 0); at >= 0 && at < count; at = block.indexOf(10, from)) {
        keep(block.subarray(from, at));
        from = at + 1;
        const line = take();
        if (line.text !== '') yield line;
      }
      keep(block.subarray(from, count));
    }
    if (ended && pendingBytes > 0) yield take();
  } finally {
    closeSync(file.fd);
  }
}
