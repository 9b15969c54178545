import type { Line } from '../core/events.ts';
import { followLines, LINE_SIZES, type LineRange, type LineSizes } from './follow.ts';

/**
 * The lines that a stream has when the reading begins: one reading of somebody who follows it.
 * @throws DamagedRecord
 */
export function readLines(path: string, range: LineRange, sizes: LineSizes = LINE_SIZES): Generator<Line> {
  return followLines(path, sizes).read(range);
}
