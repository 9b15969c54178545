import { DamagedRecord, readFully } from './read-file.ts';

/*
 * Lines that were read before and not kept. A stream is only ever appended to: one that was written over since is
 * damaged, and none of its lines is taken for another one.
 */

/** Where a line stands in its stream, in bytes: its beginning, and its length without the newline. */
export interface LinePlace {
  readonly at: number;
  readonly bytes: number;
}

const NEWLINE = 10;

/** Most lines are shorter; what is longer is read into memory of its own. */
const BLOCK = 1 << 16;

/** The texts of lines that stood at these places of an open file. @throws DamagedRecord where none does any more */
export function* readAgain(fd: number, path: string, places: Iterable<LinePlace>): Generator<string> {
  const block = Buffer.allocUnsafe(BLOCK);
  for (const { at, bytes } of places) {
    // With the newline before it, and that behind it unless it is the last line, which may lack one.
    const from = Math.max(0, at - 1);
    const begin = at - from;
    const size = begin + bytes + 1;
    const found = readFully(fd, size <= BLOCK ? block.subarray(0, size) : Buffer.allocUnsafe(size), from);
    const end = found.indexOf(NEWLINE, begin);
    const isThere =
      (at === 0 || found[0] === NEWLINE) &&
      found.length >= begin + bytes &&
      (end < 0 || end === begin + bytes);
    if (!isThere) throw new DamagedRecord(`${path} was written over while it was read`);
    yield found.toString('utf8', begin, begin + bytes);
  }
}
