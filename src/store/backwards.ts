import { closeSync } from 'node:fs';
import type { Line, PassedOver, Sieve } from '../core/events.ts';
import { findNewline, LINE_SIZES, type LineRange, type LineSizes } from './follow.ts';
import { readSieved } from './lines.ts';
import { openRegular } from './read-file.ts';

/*
 * A stream from its end: what a turn came to is told in its last lines, and a list must not read a gigabyte for them.
 */

/** Some lines of a stream, in their order, and the byte at which the first of them begins. */
export interface Portion {
  readonly from: number;
  readonly lines: Iterable<Line | PassedOver>;
}

/** Bytes of the last portion; each before it is four times as large, so that the first is reached soon. */
export interface PortionSizes extends LineSizes {
  readonly last: number;
}

const PORTION_SIZES: PortionSizes = { ...LINE_SIZES, last: 1 << 16 };

/** Where the first line begins that does so from byte `near` on; `end` where none does. */
function lineStart(fd: number, near: number, end: number): number {
  if (near <= 0) return 0;
  const { at } = findNewline(fd, Buffer.allocUnsafe(LINE_SIZES.block), near - 1, end);
  return at < 0 ? end : at + 1;
}

/** Where a portion begins that ends at `to` and is at least so large, or all there is. @throws DamagedRecord */
function portionStart(path: string, to: number, bytes: number): number {
  const file = openRegular(path);
  if (file === null) return 0;
  try {
    return lineStart(file.fd, to - bytes, to);
  } finally {
    closeSync(file.fd);
  }
}

function sizeOf(path: string): number {
  const file = openRegular(path);
  if (file === null) return 0;
  closeSync(file.fd);
  return file.size;
}

/**
 * The lines of a stream in portions, the last one first. All of them together are what `readSieved` reads; `seq` counts
 * within a portion. @throws DamagedRecord
 */
export function* readBackwards(
  path: string,
  { limit, ended }: LineRange,
  sieve: Sieve | null,
  sizes: PortionSizes = PORTION_SIZES,
): Generator<Portion> {
  // Then it is not even looked at.
  if (limit === 0) return;
  const size = sizeOf(path);
  let to = Math.min(limit ?? size, size);
  for (let bytes = sizes.last; to > 0; bytes *= 4) {
    const from = portionStart(path, to, bytes);
    // A line that is longer than the portion belongs to the one before.
    if (from < to) yield { from, lines: readSieved(path, { from, limit: to, ended }, sieve, sizes) };
    to = from;
  }
}
