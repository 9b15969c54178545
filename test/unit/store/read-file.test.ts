import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFile, publishOnce, rename, replaceFile } from '../../../src/store/files.ts';
import {
  DamagedRecord,
  entriesOf,
  isRealDirectory,
  lookAt,
  readSmall,
  unlessDamaged,
} from '../../../src/store/read-file.ts';
import { boundByPermissions } from '../../helpers/as-root.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

test('a small file is read whole, with the time of its last change', () => {
  const path = join(emptyDirectory(), 'file');
  expect(readSmall(path)).toBeNull();
  writeFileSync(path, Buffer.from([0, 255, 10]));
  expect(readSmall(path)).toEqual({ bytes: Buffer.from([0, 255, 10]), mtimeMs: statSync(path).mtimeMs });
});

test('what is no regular file is damage, at once and without hanging', async () => {
  const directory = emptyDirectory();
  const path = (name: string): string => join(directory, name);
  writeFileSync(path('file'), 'x');
  symlinkSync(path('file'), path('link'));
  symlinkSync('/no/where', path('dangling'));
  symlinkSync(path('loop'), path('loop'));
  mkdirSync(path('directory'));
  execFileSync('mkfifo', [path('fifo')]);
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(path('socket'), resolve);
  });
  try {
    for (const name of ['link', 'dangling', 'loop', 'directory', 'fifo', 'socket', 'file/below']) {
      expect(() => readSmall(path(name)), name).toThrow(DamagedRecord);
    }
    expect(() => readSmall('/dev/zero')).toThrow(DamagedRecord);
  } finally {
    server.close();
  }
});

test('a file beyond its limit is damage, one at the limit is not', () => {
  const path = join(emptyDirectory(), 'file');
  writeFileSync(path, 'x'.repeat(100));
  expect(readSmall(path, 100)?.bytes).toHaveLength(100);
  expect(() => readSmall(path, 99)).toThrow(DamagedRecord);
  writeFileSync(path, 'x'.repeat(1 << 20));
  expect(readSmall(path)?.bytes).toHaveLength(1 << 20);
  appendFileSync(path, 'x');
  expect(() => readSmall(path)).toThrow(DamagedRecord);
});

test('a link to a directory is no real directory, and a missing one has no entries', () => {
  const directory = emptyDirectory();
  mkdirSync(join(directory, 'real'));
  symlinkSync('real', join(directory, 'link'));
  writeFileSync(join(directory, 'file'), '');
  const real = ['real', 'link', 'file', 'none'].filter((name) => isRealDirectory(join(directory, name)));
  expect(real).toEqual(['real']);
  for (const name of ['none', 'file', 'file/below'])
    expect(entriesOf(join(directory, name)), name).toEqual([]);
  for (const name of ['none', 'file/below']) expect(lookAt(join(directory, name)), name).toBeNull();
  const kinds = Object.fromEntries(entriesOf(directory).map((entry) => [entry.name, entry.isDirectory()]));
  expect(kinds).toEqual({ real: true, link: false, file: false });
});

test('what we may not look at is damage, which may count as absent; other errors may not', () => {
  const directory = emptyDirectory();
  mkdirSync(join(directory, 'closed'), { mode: 0o700 });
  writeFileSync(join(directory, 'closed', 'file'), 'x');
  const reads: readonly (() => unknown)[] = [
    () => readSmall(join(directory, 'closed', 'file')),
    () => lookAt(join(directory, 'closed', 'file')),
    () => entriesOf(join(directory, 'closed')),
  ];
  chmodSync(join(directory, 'closed'), 0);
  boundByPermissions(() => {
    for (const read of reads) {
      expect(read).toThrow(DamagedRecord);
      expect(unlessDamaged(read)).toBeNull();
    }
  });
  expect(() =>
    unlessDamaged(() => {
      throw new Error('another');
    }),
  ).toThrow('another');
});

test('what is published once stays; what is replaced is whole; nothing is created through a link', () => {
  const directory = emptyDirectory();
  const path = (name: string): string => join(directory, name);
  const text = (name: string): string | undefined => readSmall(path(name))?.bytes.toString();
  expect(publishOnce(path('once'), 'first', path('tmp'))).toBe(true);
  expect(publishOnce(path('once'), 'second', path('tmp'))).toBe(false);
  expect(text('once')).toBe('first');
  replaceFile(path('cache'), 'one', path('tmp'));
  replaceFile(path('cache'), 'two', path('tmp'));
  expect(text('cache')).toBe('two');
  symlinkSync(path('target'), path('link'));
  expect(() => createFile(path('link'), 'x')).toThrow(/EEXIST/);
  expect(() => createFile(path('once'), 'x')).toThrow(/EEXIST/);
  expect(publishOnce(path('link'), 'x', path('tmp'))).toBe(false);
  const names = entriesOf(directory).map((entry) => entry.name);
  expect(names.sort()).toEqual(['cache', 'link', 'once']);
});

test('a directory is renamed onto an empty one or a free name, never onto one that holds something', () => {
  const directory = emptyDirectory();
  const make = (name: string, filled: boolean): string => {
    mkdirSync(join(directory, name));
    if (filled) writeFileSync(join(directory, name, 'file'), name);
    return join(directory, name);
  };
  const full = make('full', true);
  expect(() => rename(make('a', true), full)).toThrow(/ENOTEMPTY|EEXIST/);
  rename(make('b', true), make('empty', false));
  expect(readSmall(join(full, 'file'))?.bytes.toString()).toBe('full');
  expect(readSmall(join(directory, 'empty', 'file'))?.bytes.toString()).toBe('b');
});
