import { closeSync, readSync } from 'node:fs';
import {
  type Known,
  type Line,
  type PassedOver,
  type Said,
  SIEVED_BYTES,
  type Sieve,
} from '../core/events.ts';
import { type LinePlace, readAgain } from './again.ts';
import { DamagedRecord, openRegular, readFully } from './read-file.ts';
import { viewOf, type Walk, walkOn } from './walk.ts';

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

/** A line, and where it stands. */
export interface PlacedLine extends Line, LinePlace {}

/** What is told of a line that a sieve knows, in the place of its text. */
export type Told<K extends Known> = K extends 'step' ? PassedOver : Said & LinePlace;

/** A file that grows, read forward: each reading goes on where the one before it came to. */
export interface Follower<T> {
  /** What has been written since, up to the size that the file has now. @throws DamagedRecord */
  read(range: LineRange): Generator<T>;
}

/** The same of lines, each of which may be asked for again. */
export interface LineFollower<T> extends Follower<T> {
  /** Lines that were read before, by their places, in the order of these. @throws DamagedRecord where they are gone */
  again(places: Iterable<LinePlace>): Generator<string>;
}

const NEWLINE = 10;
const NOTHING: readonly never[] = [];

/** The bytes of a file from `start` to `end`; fewer where it ends before. */
function readBytes(fd: number, start: number, end: number): Buffer {
  return readFully(fd, Buffer.allocUnsafe(end - start), start);
}

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
 * Opens a file again and again as it grows. One that became shorter, or another, is not what was followed.
 * What it has when it is opened is all that is read of it: an agent that prints faster than we read would keep us
 * reading for ever.
 */
function createOpener(path: string): (seen: number) => { fd: number; size: number } | null {
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

const NUL = Buffer.alloc(1);

/** What a sieve is given of a line that is in no block: its two ends. */
function readEnds(fd: number, start: number, end: number): Buffer {
  if (end - start <= 2 * SIEVED_BYTES) return readBytes(fd, start, end);
  const [head, tail] = [readBytes(fd, start, start + SIEVED_BYTES), readBytes(fd, end - SIEVED_BYTES, end)];
  return Buffer.concat([head, NUL, tail]);
}

/**
 * Follows the lines of a stream, split at LF alone (U+2028 is legal inside JSON strings). Empty lines are skipped but
 * counted; a line without its newline is held back until that comes. A file that is not there has no lines. However
 * large the file, no more than a block and one line are in memory; a line that is too long is told without its text,
 * never cut.
 */
export function followLines(path: string, sizes?: LineSizes): LineFollower<PlacedLine>;
/**
 * The same with a sieve, and from a line that begins at byte `from` on: lines that the sieve knows are neither held nor
 * decoded, and each run of steps is told as one.
 */
export function followLines<K extends Known>(
  path: string,
  sizes: LineSizes,
  sieve: Sieve<K> | null,
  from: number,
): LineFollower<PlacedLine | Told<K>>;
export function followLines(
  path: string,
  sizes: LineSizes = LINE_SIZES,
  sieve: Sieve | null = null,
  from = 0,
): LineFollower<PlacedLine | Told<Known>> {
  const open = createOpener(path);
  const isTooLong = (bytes: number): boolean => bytes > sizes.longest;
  const walk: Walk = { start: 0, end: -1, lines: 0, passed: -1, known: null };
  /** Where the next line begins, and up to where it is known to have no newline. */
  let position = from;
  let searched = 0;

  /** What is told of a line. By hand: copies of objects that hold large numbers leave V8's maps of them behind. */
  function placed(
    seq: number,
    at: number,
    bytes: number,
    known: Known | null,
    text: () => string,
  ): PlacedLine | Told<'message'> {
    if (known === 'message') return { seq, type: 'said', at, bytes };
    return { seq, text: isTooLong(bytes) ? null : text(), at, bytes };
  }

  /** Takes out what is to be told of lines that were passed over. */
  function takePassed(): readonly PassedOver[] {
    if (walk.passed < 0) return NOTHING;
    const passed = { seq: walk.passed, type: 'passed_over' } as const;
    walk.passed = -1;
    return [passed];
  }

  return {
    *read({ limit, ended }) {
      const file = open(Math.max(position, searched));
      if (file === null) return;
      const { fd, size } = file;
      try {
        const end = Math.min(limit ?? size, size);
        // Gone when this reading is over: whoever may ask again for lines holds no more than their places.
        const block = Buffer.allocUnsafe(Math.max(0, Math.min(sizes.block, end - position)));
        while (position < end) {
          if (searched <= position) {
            const base = position;
            const count = readSync(fd, block, 0, Math.min(block.length, end - base), base);
            if (count === 0) break;
            const bytes = block.subarray(0, count);
            const ground = { bytes, view: viewOf(bytes), sieve, longest: sizes.longest };
            walk.start = 0;
            for (walkOn(walk, ground); walk.end >= 0; walkOn(walk, ground)) {
              const { start, end: after, lines: seq } = walk;
              walk.start = after + 1;
              walk.lines += 1;
              position = base + walk.start;
              yield* takePassed();
              yield placed(seq, base + start, after - start, walk.known, () =>
                bytes.toString('utf8', start, after),
              );
            }
            position = base + walk.start;
            // The rest of the block, if any, is read again: it begins a line.
            if (walk.start > 0) continue;
            searched = base + count;
          }
          // A line that does not fit into a block is measured first, then read into memory of just its size.
          const { at, read } = findNewline(fd, block, Math.min(searched, end), end);
          searched = read;
          if (at < 0 && !ended) break;
          const start = position;
          const after = at < 0 ? read : at;
          position = after + 1;
          const seq = walk.lines++;
          const ends = viewOf(readEnds(fd, start, after));
          const known = isTooLong(after - start) ? null : (sieve?.(ends, 0, ends.byteLength) ?? null);
          if (known === 'step') {
            walk.passed = seq;
            continue;
          }
          yield* takePassed();
          yield placed(seq, start, after - start, known, () => readBytes(fd, start, after).toString());
        }
        yield* takePassed();
      } finally {
        closeSync(fd);
      }
    },
    *again(places) {
      const file = open(position - 1);
      if (file === null) return;
      try {
        yield* readAgain(file.fd, path, places);
      } finally {
        closeSync(file.fd);
      }
    },
  };
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
