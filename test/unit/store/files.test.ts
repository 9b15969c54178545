import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  copyFile,
  createFile,
  createFileOf,
  discard,
  isDiskFull,
  makeDir,
  makeDirs,
  publishName,
  publishOnce,
  putUserFile,
  removeTree,
  replaceFile,
} from '../../../src/store/files.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { notPrivate } from '../../helpers/tree.ts';

function below(base = emptyDirectory()) {
  const at = (name: string): string => join(base, name);
  return {
    base,
    at,
    mode: (name: string): number => fs.lstatSync(at(name)).mode & 0o777,
    text: (name: string): string => fs.readFileSync(at(name), 'utf8'),
    names: (name = '.'): string[] => fs.readdirSync(at(name)).sort(),
  };
}

test.each([0o000, 0o277, 0o777])(
  'whatever is made is ours alone, and ours to use, under umask %o',
  (mask) => {
    const { base, at, names } = below();
    const umask = process.umask(mask);
    onTestFinished(() => void process.umask(umask));
    makeDir(at('one'));
    makeDirs(at('a/b/c'));
    createFile(at('a/file'), 'x');
    publishName(at('a/name'));
    publishOnce(at('a/once'), 'x', at('a/tmp'));
    replaceFile(at('a/replaced'), 'x', at('a/tmp'));
    putUserFile(at('u/v/file'), 'x', 'x');
    expect(notPrivate(base)).toEqual([]);
    expect([names(), names('a'), names('u/v')]).toEqual([
      ['a', 'one', 'u'],
      ['b', 'file', 'name', 'once', 'replaced'],
      ['file'],
    ]);
  },
);

test('directories that are there stay as they are; where none can be made, that is an error', () => {
  const { at, mode } = below();
  fs.mkdirSync(at('a'));
  fs.chmodSync(at('a'), 0o755);
  makeDirs(at('a/b'));
  makeDirs(at('a/b'));
  expect([mode('a'), mode('a/b')]).toEqual([0o755, 0o700]);
  expect(() => makeDir(at('a'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  fs.writeFileSync(at('file'), '');
  expect(() => makeDirs(at('file/a/b'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  expect(() => makeDirs('/proc/none/a')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('a name is published once, and not where a link lies', () => {
  const { at, names } = below();
  fs.symlinkSync('elsewhere', at('link'));
  expect([at('name'), at('name'), at('link')].map(publishName)).toEqual([true, false, false]);
  expect(names()).toEqual(['link', 'name']);
  expect(() => publishName(at('none/name'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('a copy has as many bytes as were asked for, or all', () => {
  const { at, text } = below();
  fs.writeFileSync(at('from'), 'abc');
  const fd = fs.openSync(at('from'), 'r');
  onTestFinished(() => fs.closeSync(fd));
  copyFile(fd, at('longer'), 100, 5000);
  copyFile(fd, at('shorter'), 2, 6000);
  expect([text('longer'), text('shorter')]).toEqual(['abc', 'ab']);
  // More than is copied at a time.
  fs.writeFileSync(at('from'), 'x'.repeat((1 << 20) + 9));
  copyFile(fd, at('long'), (1 << 20) + 2, 0);
  expect(fs.statSync(at('long')).size).toBe((1 << 20) + 2);
  expect(Math.floor(fs.statSync(at('shorter')).mtimeMs)).toBe(6000);
});

test('a file that takes the place of another has the permissions asked for', () => {
  const { at, mode, text, names } = below();
  for (const permissions of [0o644, 0o400, 0o600]) {
    replaceFile(at('file'), `${permissions}`, at('tmp'), permissions);
    expect([mode('file'), text('file')]).toEqual([permissions, `${permissions}`]);
  }
  fs.mkdirSync(at('directory'));
  expect(() => replaceFile(at('directory'), 'x', at('tmp'))).toThrow(/EISDIR/);
  expect(() => publishOnce(at('none/file'), 'x', at('tmp'))).toThrow(/ENOENT/);
  expect(names()).toEqual(['directory', 'file']);
});

test('a file of the user is put where its link leads, with the directories above it', () => {
  const { at, mode, text, names } = below();
  putUserFile(at('a/b/file'), 'first', 'x');
  fs.symlinkSync('a/b/file', at('link'));
  putUserFile(at('link'), 'second', 'x');
  expect(text('a/b/file')).toBe('second');
  expect(fs.readlinkSync(at('link'))).toBe('a/b/file');
  expect([mode('a'), mode('a/b'), mode('a/b/file')]).toEqual([0o700, 0o700, 0o600]);
  expect([names(), names('a/b')]).toEqual([['a', 'link'], ['file']]);
});

test('a file, a link or all of a directory is removed, and where nothing is, that is no error', () => {
  const { at, names } = below();
  fs.mkdirSync(at('kept'));
  fs.writeFileSync(at('kept/file'), '');
  fs.mkdirSync(at('-rf/deep'), { recursive: true });
  fs.symlinkSync('../kept', at('-rf/link'));
  fs.symlinkSync('kept', at('link'));
  fs.writeFileSync(at('file'), '');
  for (const name of ['-rf', 'link', 'file', 'none']) removeTree(at(name));
  expect([names(), names('kept')]).toEqual([['kept'], ['file']]);
});

test('where something stays the system’s rm says why, in one line, and what to do', () => {
  // Nobody removes files there, root neither.
  const path = '/proc/self/fdinfo';
  const refused = expect.objectContaining({
    code: 'io',
    message: expect.stringMatching(/^.*fdinfo.*$/),
    hint: `look at what is in ${path}, and delete it yourself`,
  });
  expect(() => removeTree(path)).toThrow(refused);
  expect(() => discard(path)).not.toThrow();
});

test('a disk is full where it has no room, or none for this user', () => {
  const full = ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG'].map((code) =>
    isDiskFull(Object.assign(new Error(), { code })),
  );
  expect(full).toEqual([true, true, false, false]);
});

test('a file that is written anew keeps the millisecond in which it was last written', async () => {
  const directory = emptyDirectory();
  async function* nothing(): AsyncGenerator<Uint8Array> {}
  for (let i = 0; i < 100; i += 1) {
    // As a fraction of seconds every second of these is a little less.
    for (const part of [0, 0.0001, 0.999]) {
      const path = join(directory, `${i} ${part}`);
      await createFileOf(path, nothing(), 1_764_097_137_000 + i + part);
      expect(Math.floor(fs.statSync(path).mtimeMs)).toBe(1_764_097_137_000 + i);
    }
  }
});
