import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileSystemOf, remoteFileSystem } from '../../../src/store/file-system.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

test('file systems of other machines have a name', () => {
  const remote = [0x6969, 0xff534d42, 0xff534d42 | 0, 0xfe534d42, 0x65735546];
  expect(remote.map(remoteFileSystem)).toEqual(['NFS', 'SMB', 'SMB', 'SMB', 'FUSE']);
  const local = [0xef53, 0x01021994, 0x9123683e, 0];
  expect(local.map(remoteFileSystem)).toEqual(local.map(() => null));
});

test('the file system of a directory says how much room there is', () => {
  const path = join(emptyDirectory(), 'a');
  mkdirSync(path);
  const { freeBytes, freeFiles } = fileSystemOf(path);
  expect(freeBytes).toBeGreaterThan(0);
  expect(freeFiles ?? 1).toBeGreaterThan(0);
  expect(() => fileSystemOf(join(path, 'none'))).toThrow(/ENOENT/);
});
