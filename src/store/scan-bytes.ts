import { readSync } from 'node:fs';
import type { Prefilter } from '../core/search/prefilter.ts';
import { withFile } from './read-file.ts';

/** More would make strings that V8 has to clear away at a great cost. */
const BLOCK = 1 << 16;

/** Whether a file may hold what is searched for; no more than a block of it is in memory. @throws DamagedRecord */
export function mayContain(path: string, { patterns, longest }: Prefilter, size = BLOCK): boolean {
  const found = withFile(path, ({ fd }) => {
    // What could begin at the end of a block is looked at with the next one.
    const overlap = longest - 1;
    const block = Buffer.allocUnsafe(overlap + size);
    let kept = 0;
    let position = 0;
    for (;;) {
      const count = readSync(fd, block, kept, size, position);
      if (count === 0) return false;
      position += count;
      const end = kept + count;
      const text = block.toString('latin1', 0, end);
      if (patterns.some((pattern) => pattern.test(text))) return true;
      kept = Math.min(overlap, end);
      block.copyWithin(0, end - kept, end);
    }
  });
  return found ?? false;
}
