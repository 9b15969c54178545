import type { PassedOver, Sieve } from '../core/events.ts';
import { followLines, LINE_SIZES, type LineRange, type LineSizes, type PlacedLine } from './follow.ts';

/**
 * The lines that a stream has when the reading begins: one reading of somebody who follows it.
 * @throws DamagedRecord
 */
export function readLines(
  path: string,
  range: LineRange,
  sizes: LineSizes = LINE_SIZES,
): Generator<PlacedLine> {
  return followLines(path, sizes).read(range);
}

const stepsAlone =
  (sieve: Sieve): Sieve<'step'> =>
  (bytes, from, to) =>
    sieve(bytes, from, to) === 'step' ? 'step' : null;

/**
 * The same, but the steps that a sieve knows are passed over; from a line that begins at byte `from` on, and `seq` counts
 * from there. @throws DamagedRecord
 */
export function readSieved(
  path: string,
  range: LineRange & { readonly from?: number },
  sieve: Sieve | null,
  sizes: LineSizes = LINE_SIZES,
): Generator<PlacedLine | PassedOver> {
  return followLines(path, sizes, sieve && stepsAlone(sieve), range.from ?? 0).read(range);
}
