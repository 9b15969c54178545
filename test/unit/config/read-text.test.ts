import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readProjectText, readUserText } from '../../../src/config/read-text.ts';
import { ZwarmError } from '../../../src/core/errors.ts';
import { boundByPermissions } from '../../helpers/as-root.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

/**
 * Puts one thing and the other in a file's place, again and again. It holds a FIFO open with other words in it: whoever
 * reads from that gets them, when this ends.
 */
const SWAP = `
  const { closeSync, constants, linkSync, openSync, renameSync, writeSync } = require('node:fs');
  const [path, file, other, fifo] = process.argv.slice(1);
  const fd = openSync(fifo, constants.O_RDWR);
  writeSync(fd, 'other');
  for (let i = 0; i < 4_000; i += 1) {
    for (const one of [other, file]) {
      linkSync(one, path + '.new');
      renameSync(path + '.new', path);
    }
  }
`;

/** Reads while things are swapped; everything that came of it, each once. */
async function readWhileSwapped(
  other: 'fifo' | 'link',
  read: (path: string) => string | null,
): Promise<ReadonlySet<string | null>> {
  const directory = emptyDirectory();
  const path = (name: string): string => join(directory, name);
  writeFileSync(path('file'), 'file');
  writeFileSync(path('read'), 'file');
  writeFileSync(path('secret'), 'other');
  symlinkSync(path('secret'), path('link'));
  execFileSync('mkfifo', [path('fifo')]);
  const swapper = spawn(
    process.execPath,
    ['-e', SWAP, path('read'), path('file'), path(other), path('fifo')],
    { stdio: 'inherit' },
  );
  const found = new Set<string | null>();
  let swaps = true;
  const exit = once(swapper, 'exit').finally(() => {
    swaps = false;
  });
  while (swaps) {
    for (let i = 0; i < 100; i += 1) found.add(outcome(() => read(path('read'))));
    await new Promise(setImmediate);
  }
  expect(await exit).toEqual([0, null]);
  return found;
}

function outcome(read: () => string | null): string | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ZwarmError) return error.message.replace(/^\S+ /, '');
    throw error;
  }
}

test.each([
  ['project', readProjectText],
  ['user', readUserText],
] as const)('%s: a FIFO that is swapped in is never read', async (_whose, read) => {
  const found = await readWhileSwapped('fifo', read);
  expect(['file', 'is not a regular file']).toEqual(expect.arrayContaining([...found]));
});

test("a link that is swapped in is never followed in a project's place", async () => {
  const found = await readWhileSwapped('link', readProjectText);
  expect(['file', 'is a symbolic link']).toEqual(expect.arrayContaining([...found]));
});

test('of a file that is closed to its reader the error says how to see whose it is', () => {
  const directory = emptyDirectory();
  const path = join(directory, 'config.toml');
  writeFileSync(path, '', { mode: 0o000 });
  const hint = `see whose it is: ls -ld ${directory} ${path}`;
  const refused = expect.objectContaining({ code: 'config', message: `${path} may not be read`, hint });
  boundByPermissions(() => expect(() => readUserText(path)).toThrow(refused));
});

test.skipIf(!existsSync('/proc/kallsyms'))('no more than the limit is read, whatever the size says', () => {
  expect(outcome(() => readUserText('/proc/kallsyms'))).toBe('is larger than 64 kB');
});
