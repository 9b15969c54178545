import type { Line } from '../core/events.ts';
import { lookAt, type OpenFile, readFully, withFile } from './read-file.ts';
import {
  findNewline,
  followLines,
  LINE_SIZES,
  type LineRange,
  type LineSizes,
  NEWLINE,
} from './read-forward.ts';

/** Bytes of the last portion; each before it is four times as large, so that the first is reached soon. */
export interface EndSizes extends LineSizes {
  readonly last: number;
}

const END_SIZES: EndSizes = { ...LINE_SIZES, last: 1 << 16 };

/** Most lines end within so many bytes. */
const SEARCH_BYTES = 1 << 14;

/**
 * Where a portion of the lines before `to` begins that is at least so large; but a last line that is longer than that is a
 * portion of its own, and what is before it is not read along with it.
 */
function portionStart({ fd }: OpenFile, to: number, bytes: number): number {
  if (bytes >= to) return 0;
  const block = Buffer.allocUnsafe(SEARCH_BYTES);
  // What is behind the newline at the very end is no line.
  let begin = to - bytes - 1;
  const { at } = findNewline(fd, block, begin, to - 1);
  if (at >= 0) return at + 1;
  while (begin > 0) {
    const end = begin;
    begin = Math.max(0, end - SEARCH_BYTES);
    const found = readFully(fd, block.subarray(0, end - begin), begin).lastIndexOf(NEWLINE);
    if (found >= 0) return begin + found + 1;
  }
  return 0;
}

/**
 * The lines of a stream in portions, the last one first, each read when it is asked for: how a turn stands is written in
 * its last lines. `seq` counts within a portion, which begins at byte `from`; `behind` are the bytes after it. @throws DamagedRecord
 */
export function* readFromEnd(
  path: string,
  { limit, ended }: LineRange,
  sizes: EndSizes = END_SIZES,
): Generator<{ readonly lines: Iterable<Line>; readonly from: number; readonly behind: number }> {
  // Then it is not even looked at.
  if (limit === 0) return;
  const size = lookAt(path)?.size ?? 0;
  const end = Math.min(limit ?? size, size);
  let to = end;
  for (let bytes = sizes.last; to > 0; bytes *= 4) {
    // Closed again before its lines are read: where descriptors are short, one has to do.
    const from = withFile(path, (file) => portionStart(file, to, bytes)) ?? 0;
    yield { lines: followLines(path, sizes, from).read({ limit: to, ended }), from, behind: end - to };
    to = from;
  }
}

/** The last `bytes` bytes of a text file, from the beginning of a line on; or nothing. @throws DamagedRecord */
export function readTail(path: string, bytes: number): string {
  const tail = withFile(path, ({ fd, size }) => {
    const from = Math.max(0, size - bytes);
    const text = readFully(fd, Buffer.alloc(size - from), from).toString();
    // What is before the first newline began further up.
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1 || text.length);
  });
  return tail ?? '';
}
