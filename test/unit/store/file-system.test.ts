import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileSystemOf, remoteFileSystem } from '../../../src/store/file-system.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

test.each([
  [0x6969, 'NFS'],
  [0xff534d42, 'SMB'],
  [0xff534d42 | 0, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0xef53, null],
  [0x01021994, null],
  [0x9123683e, null],
  [0, null],
])('the file system with the number %i is %j', (magic, name) => {
  expect(remoteFileSystem(magic)).toBe(name);
});

test('the file system of a directory says how much room there is', () => {
  const path = join(emptyDirectory(), 'a');
  mkdirSync(path);
  const { freeBytes, freeFiles } = fileSystemOf(path);
  expect(freeBytes).toBeGreaterThan(0);
  expect(freeFiles ?? 1).toBeGreaterThan(0);
  expect(() => fileSystemOf(join(path, 'none'))).toThrow(/ENOENT/);
});
