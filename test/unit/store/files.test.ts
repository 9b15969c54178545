import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFileOf } from '../../../src/store/files.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

test('a file that is written anew keeps the millisecond in which it was last written', async () => {
  const directory = emptyDirectory();
  async function* nothing(): AsyncGenerator<Uint8Array> {}
  for (let i = 0; i < 100; i += 1) {
    // As a fraction of seconds every second of these is a little less.
    for (const part of [0, 0.0001, 0.999]) {
      const path = join(directory, `${i} ${part}`);
      await createFileOf(path, nothing(), 1_764_097_137_000 + i + part);
      expect(Math.floor(statSync(path).mtimeMs)).toBe(1_764_097_137_000 + i);
    }
  }
});
