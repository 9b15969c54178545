import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createStore,
  isWritable,
  listStores,
  requireUsable,
  storeDir,
} from '../../../src/store/project-store.ts';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import { directoryWith, emptyDirectory } from '../../helpers/directory.ts';
import { MAKER } from '../../helpers/store.ts';
import { snapshot } from '../../helpers/tree.ts';

const BORN = '2026-11-20T10:00:00.123Z';

test('of two commands that make a store the first does, and both go on with its record', () => {
  const base = emptyDirectory();
  const state = join(base, 'state');
  const record = {
    v: 1,
    path: base,
    kept_at: null,
    seen_at: null,
    host: 'here',
    inode: '1',
    birth_time: BORN,
    created_at: BORN,
  } as const;
  const make = (store_id: string) => createStore(state, { ...record, store_id }, MAKER, store_id);
  const first = make('first');
  expect(first.record).toMatchObject({ store_id: 'first', path: base });
  expect(make('second')).toEqual(first);
  expect(fs.readdirSync(join(state, 'projects'))).toEqual([basename(first.root)]);
  fs.rmSync(first.root, { recursive: true });
  // Something else in its place is an error, and nothing is left.
  fs.writeFileSync(first.root, '');
  expect(() => make('third')).toThrow(/ENOTDIR/);
  expect(fs.readdirSync(join(state, 'projects'))).toEqual([basename(first.root)]);
});

test('a state directory that is a file or open to others gets no store, and stays as it is', () => {
  const base = directoryWith({ file: '', open: null });
  fs.chmodSync(join(base, 'open'), 0o770);
  const record = {
    v: 1,
    store_id: 's',
    path: base,
    kept_at: null,
    seen_at: null,
    host: 'here',
    created_at: BORN,
  } as const;
  const before = snapshot(base);
  for (const name of ['file', 'open'])
    expect(() =>
      createStore(join(base, name), { ...record, inode: '1', birth_time: BORN }, MAKER, 'x'),
    ).toThrow(expect.objectContaining({ code: 'state_dir_unsafe', exitCode: 5 }));
  expect(snapshot(base)).toEqual(before);
});

test('stores are listed in order, without files and what is being built; one without its record is damaged', () => {
  const state = emptyDirectory();
  expect(listStores(state)).toEqual([]);
  for (const name of ['b', 'a', '.new-x', '.c'])
    fs.mkdirSync(join(state, 'projects', name), { recursive: true });
  fs.writeFileSync(join(state, 'projects', 'file'), '');
  const listed = listStores(state);
  expect(listed.map(({ root }) => basename(root))).toEqual(['.c', 'a', 'b']);
  const damage = listed.map(({ record }) => record instanceof DamagedRecord && record.message);
  expect(damage).toEqual(Array(3).fill('project.json is missing'));
});

test('the name of a store tells people whose it is, and never grows beyond a file name', () => {
  const name = (path: string): string => basename(storeDir('/s', path));
  expect(name('/')).toMatch(/^root-[0-9a-f]{16}$/);
  expect(name('/my shop/.git')).toMatch(/^my-shop-[0-9a-f]{16}$/);
  expect(name(`/${'x'.repeat(255)}`)).toMatch(/^x{40}-[0-9a-f]{16}$/);
  expect(name('/a/x')).not.toBe(name('/b/x'));
});

test.each([
  [null, true],
  ['1\n', true],
  ['2\n', true],
  ['3\n', false],
  ['two', false],
  ['', false],
  ['0000002', false],
])('a store of format %j may be written to: %s, and read at any rate', (format, may) => {
  const base = emptyDirectory();
  if (format !== null) fs.writeFileSync(join(base, 'format'), format);
  expect(() => requireUsable(base, base, MAKER, false)).not.toThrow();
  const write = () => requireUsable(base, base, MAKER, true);
  if (may) expect(write).not.toThrow();
  else expect(write).toThrow(expect.objectContaining({ code: 'format_newer', exitCode: 5 }));
});

test.each([0o720, 0o702])('a state directory or a store of mode %o is not used', (mode) => {
  const [base, open] = [emptyDirectory(), emptyDirectory()];
  fs.chmodSync(open, mode);
  for (const [state, root] of [
    [open, base],
    [base, open],
  ] as const)
    expect(() => requireUsable(state, root, MAKER, false)).toThrow(`${open} can be written by others`);
  expect(() => requireUsable(base, base, { ...MAKER, uid: MAKER.uid + 1 }, false)).toThrow(
    expect.objectContaining({
      code: 'foreign_directory',
      message: expect.stringContaining(`(uid ${MAKER.uid})`),
    }),
  );
});

test('whether a store can be written to is tried, and nothing is left of that', () => {
  const directory = emptyDirectory();
  expect(isWritable(directory, 'x')).toBe(true);
  expect(fs.readdirSync(directory)).toEqual([]);
  // Nobody creates files there, root neither.
  expect(isWritable('/sys', 'x')).toBe(false);
});
