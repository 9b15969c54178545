import { closeSync, readSync } from 'node:fs';
import type { Line } from '../core/events.ts';
import { DamagedRecord, type OpenFile, openRegular, readFully } from './read-file.ts';

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

/** A message of 10 MiB takes at most 60 MiB as JSON; a longer line is not a message. */
export const LINE_SIZES: LineSizes = { block: 1 << 18, longest: 64 << 20 };

/** A file that grows, read forward: each reading goes on where the one before it ended. */
export interface Follower<T> {
  /** What has been written since, up to the size that the file has now. @throws DamagedRecord */
  read(range: LineRange): Generator<T>;
}

/** The byte that ends a line. */
export const NEWLINE = 10;

/** Where the next newline from `start` on is, before `end`; or -1, and how far was read. */
export function findNewline(
  fd: number,
  block: Buffer,
  start: number,
  end: number,
): { at: number; read: number } {
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
 * Opens a file repeatedly as it grows; one that was replaced or cut is an error. Each time it is read to the size that it
 * had then: otherwise an agent that prints faster than we read would keep us reading.
 */
function createOpener(path: string): (seen: number) => OpenFile | null {
  let known: string | null = null;
  return (seen) => {
    const file = openRegular(path);
    if (file === null && known === null) return null;
    if (file !== null && (known ?? file.identity) === file.identity && file.size >= seen) {
      known = file.identity;
      return file;
    }
    if (file !== null) closeSync(file.fd);
    throw new DamagedRecord(`${path} was replaced or cut while it was read`);
  };
}

/**
 * Follows the lines of a stream from byte `from` on, split at LF alone (U+2028 is legal inside JSON strings). Empty lines
 * are skipped but counted; a line without its newline is held back until that comes; one that is too long comes without
 * its text. No more than a block and one line are in memory.
 */
export function followLines(path: string, sizes: LineSizes = LINE_SIZES, from = 0): Follower<Line> {
  const open = createOpener(path);
  /** Where the next line begins, and up to where it is known to have no newline. */
  let position = from;
  let searched = 0;
  let lines = 0;

  /** The line of so many bytes, which are decoded only if it is not too long. */
  function lineOf(bytes: number, decode: () => string): Line {
    return { seq: lines - 1, text: bytes > sizes.longest ? null : decode() };
  }

  return {
    *read({ limit, ended }) {
      const file = open(Math.max(position, searched));
      if (file === null) return;
      const { fd, size } = file;
      try {
        const end = Math.min(limit ?? size, size);
        const block = Buffer.allocUnsafe(Math.max(0, Math.min(sizes.block, end - position)));
        while (position < end) {
          if (searched <= position) {
            const base = position;
            const count = readSync(fd, block, 0, Math.min(block.length, end - base), base);
            if (count === 0) break;
            const bytes = block.subarray(0, count);
            let start = 0;
            for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
              const begin = start;
              start = at + 1;
              position = base + start;
              lines += 1;
              if (at > begin) yield lineOf(at - begin, () => bytes.toString('utf8', begin, at));
            }
            // The rest of the block, if any, is read again: it begins a line.
            if (start > 0) continue;
            searched = base + count;
          }
          // A line that does not fit into a block is measured first, then read into memory of just its size.
          const { at, read } = findNewline(fd, block, Math.min(searched, end), end);
          searched = read;
          if (at < 0 && !ended) break;
          const start = position;
          const bytes = (at < 0 ? read : at) - start;
          position = start + bytes + 1;
          lines += 1;
          yield lineOf(bytes, () => readFully(fd, Buffer.allocUnsafe(bytes), start).toString());
        }
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** The lines that a file has when the reading begins. @throws DamagedRecord */
export function readLines(path: string, range: LineRange, sizes?: LineSizes): Generator<Line> {
  return followLines(path, sizes).read(range);
}

/** Follows the bytes of a file as they are, a block at a time; each is valid until the next one is asked for. */
export function followBytes(path: string, size = LINE_SIZES.block): Follower<Uint8Array> {
  const open = createOpener(path);
  const block = Buffer.allocUnsafe(size);
  let position = 0;
  return {
    *read({ limit }) {
      const file = open(position);
      if (file === null) return;
      try {
        const end = Math.min(limit ?? file.size, file.size);
        while (position < end) {
          const count = readSync(file.fd, block, 0, Math.min(block.length, end - position), position);
          if (count === 0) return;
          position += count;
          yield block.subarray(0, count);
        }
      } finally {
        closeSync(file.fd);
      }
    },
  };
}
