import type { Line, PassedOver, Sieve } from '../core/events.ts';
import { followLines, LINE_SIZES, type LineRange, type LineSizes } from './follow.ts';

/**
 * The lines that a stream has when the reading begins: one reading of somebody who follows it.
 * @throws DamagedRecord
 */
export function readLines(path: string, range: LineRange, sizes: LineSizes = LINE_SIZES): Generator<Line> {
  return followLines(path, sizes).read(range);
}

/** The same through a sieve, from a line that begins at byte `from` on; `seq` counts from there. @throws DamagedRecord */
export function readSieved(
  path: string,
  range: LineRange & { readonly from?: number },
  sieve: Sieve | null,
  sizes: LineSizes = LINE_SIZES,
): Generator<Line | PassedOver> {
  return followLines(path, sizes, sieve, range.from ?? 0).read(range);
}
