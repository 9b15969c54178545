import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFile, publishOnce, replaceFile } from '../../../src/store/files.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { arm, disarm } from './syscalls.ts';

const WRITE: Readonly<Record<string, (path: string) => unknown>> = {
  createFile: (path) => createFile(path, 'whole'),
  publishOnce: (path) => publishOnce(path, 'whole', `${path}.new`),
  replaceFile: (path) => replaceFile(path, 'whole', `${path}.new`),
};

/** Lets each call of a write fail, one after the other, until none does; how many there are. */
function failEach(name: string, write: (path: string) => unknown): number {
  for (let at = 1; ; at += 1) {
    const directory = emptyDirectory();
    const path = join(directory, name);
    arm({ kind: 'EIO', at, onwards: false });
    let failed = false;
    try {
      write(path);
    } catch {
      failed = true;
    }
    const calls = disarm();
    if (calls.length < at) return at - 1;
    // What it could not write whole is not there, and nothing else is. Tidying up may fail after all was done.
    if (failed) expect(readdirSync(directory), calls.join(', ')).toEqual([]);
    else expect(existsSync(path), calls.join(', ')).toBe(true);
  }
}

test.each(Object.entries(WRITE))(
  '%s leaves a whole file or none, whichever of its calls fails',
  (name, write) => {
    expect(failEach(name, write)).toBeGreaterThan(2);
  },
);
