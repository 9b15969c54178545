import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { insideDirectory } from '../../../src/process/inside-directory.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

test('what is put in the place of a directory meanwhile gets nothing', () => {
  const base = emptyDirectory();
  const [directory, outside] = [join(base, 'in'), join(base, 'out')];
  for (const path of [directory, outside]) mkdirSync(path);
  insideDirectory(directory, () => {
    renameSync(directory, join(base, 'away'));
    symlinkSync(outside, directory);
    writeFileSync('file', '');
  });
  expect(readdirSync(outside)).toEqual([]);
  expect(readdirSync(join(base, 'away'))).toEqual(['file']);
});

test('a link in the place of a directory is refused, and the place of before is kept', () => {
  const base = emptyDirectory();
  mkdirSync(join(base, 'out'));
  symlinkSync('out', join(base, 'in'));
  const before = process.cwd();
  const act = () => writeFileSync('file', '');
  expect(() => insideDirectory(join(base, 'in'), act)).toThrow(/behind a symbolic link/);
  expect(readdirSync(join(base, 'out'))).toEqual([]);
  expect(process.cwd()).toBe(before);
});
