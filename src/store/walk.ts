import type { Known, Sieve } from '../core/events.ts';

/*
 * The lines of one block. A plain function walks over those that nobody needs: its loop is compiled long before one
 * within a generator is, and most of a long stream is read there.
 */

const NEWLINE = 10;

/** What a walk looks at: the bytes of a block, and the sieve for lines of up to `longest` bytes. */
export interface Ground {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly sieve: Sieve | null;
  readonly longest: number;
}

/** Where a walk is. */
export interface Walk {
  /** Where the line begins that it came to. */
  start: number;
  /** Where that line's newline is, or -1 at what is left of the block: the beginning of a line, or nothing. */
  end: number;
  /** How many lines are behind it. */
  lines: number;
  /** The number of the last line that was passed over and not told yet, or -1. */
  passed: number;
  /** What the line that it came to is known for. */
  known: Known | null;
}

/** Bytes as a sieve wants them. */
export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Walks from `walk.start` to the next line that is neither empty nor a step that the sieve knows. */
export function walkOn(walk: Walk, { bytes, view, sieve, longest }: Ground): void {
  let { start, lines } = walk;
  let known: Known | null = null;
  let end = bytes.indexOf(NEWLINE, start);
  while (end >= 0) {
    if (end > start) {
      known = sieve === null || end - start > longest ? null : sieve(view, start, end);
      if (known !== 'step') break;
      walk.passed = lines;
    }
    lines += 1;
    start = end + 1;
    end = bytes.indexOf(NEWLINE, start);
  }
  walk.start = start;
  walk.end = end;
  walk.lines = lines;
  walk.known = known;
}
