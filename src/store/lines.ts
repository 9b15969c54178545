import { closeSync, readSync } from 'node:fs';
import type { Line } from '../core/events.ts';
import { openRegular } from './read-file.ts';

/** What bounds a reading: bytes that count (the rest came after the recorded end), and whether the writer is gone. */
export interface LineRange {
  readonly limit: number | null;
  /** The last line without a newline is read too: nobody will finish it. */
  readonly ended: boolean;
}

/** Bytes of one read, and of the longest line that is held in memory. */
export interface LineSizes {
  readonly block: number;
  readonly longest: number;
}

/** A message of 10 MiB of which JSON escapes every byte takes 60 MiB; what is longer than this line is no message. */
export const LINE_SIZES: LineSizes = { block: 1 << 18, longest: 64 << 20 };

const NEWLINE = 10;

/** The bytes of a file from `start` to `end`; fewer where it ends before. */
function readBytes(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(fd, bytes, done, bytes.length - done, start + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** Where the next newline from `start` on is, or -1 and where the file ends. */
function findNewline(fd: number, block: Buffer, start: number, end: number): { at: number; read: number } {
  let read = start;
  while (read < end) {
    const count = readSync(fd, block, 0, Math.min(block.length, end - read), read);
    if (count === 0) break;
    const at = block.subarray(0, count).indexOf(NEWLINE);
    if (at >= 0) return { at: read + at, read };
    read += count;
  }
  return { at: -1, read };
}

/**
 * The lines that a stream has when the reading begins, split at LF alone (U+2028 is legal inside JSON strings). Empty
 * lines are skipped but counted.
 * A file that is not there has no lines. However large the file, no more than a block and one line are in memory; a
 * line that is too long is told without its text, never cut. @throws DamagedRecord
 */
export function* readLines(
  path: string,
  { limit, ended }: LineRange,
  sizes: LineSizes = LINE_SIZES,
): Generator<Line> {
  const file = openRegular(path);
  if (file === null) return;
  try {
    const { fd, size } = file;
    const block = Buffer.allocUnsafe(sizes.block);
    // Not what is written meanwhile: an agent that prints faster than we read would keep us reading for ever.
    const end = Math.min(limit ?? size, size);
    const isTooLong = (bytes: number): boolean => bytes > sizes.longest;
    let position = 0;
    let seq = 0;

    while (position < end) {
      const count = readSync(fd, block, 0, Math.min(block.length, end - position), position);
      if (count === 0) return;
      const bytes = block.subarray(0, count);
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
        if (at === from) seq += 1;
        else yield { seq: seq++, text: isTooLong(at - from) ? null : bytes.subarray(from, at).toString() };
        from = at + 1;
      }
      // The rest of the block, if any, is read again: it begins a line.
      position += from;
      if (from > 0) continue;
      // A line that does not fit into a block is measured first, then read into memory of just its size.
      const { at, read } = findNewline(fd, block, position + count, end);
      if (at < 0 && !ended) return;
      const after = at < 0 ? read : at;
      const text = isTooLong(after - position) ? null : readBytes(fd, position, after).toString();
      yield { seq: seq++, text };
      position = after + 1;
    }
  } finally {
    closeSync(file.fd);
  }
}
