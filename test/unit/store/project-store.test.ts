import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createStore,
  identityOfDirectory,
  isWritable,
  listStores,
  requireUsable,
  standingOf,
  storeDir,
} from '../../../src/store/project-store.ts';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import { directoryWith, emptyDirectory } from '../../helpers/directory.ts';
import { MAKER } from '../../helpers/store.ts';
import { snapshot } from '../../helpers/tree.ts';

/** Whether the directory at a path is the one that a record of it says, which differs so from what is there. */
function standing(path: string, differing: Partial<ReturnType<typeof identityOfDirectory>> = {}) {
  const record = { v: 1, store_id: 's', path, host: 'here', created_at: '2026-11-20T10:00:00.000Z' } as const;
  return standingOf({ ...record, inode: '1', birth_time: BORN, ...differing });
}

const BORN = '2026-11-20T10:00:00.123Z';

test('a directory is that of a store by its inode and its time of birth, to the millisecond', () => {
  const path = emptyDirectory();
  const { inode, birth_time } = identityOfDirectory(path);
  expect(inode).toBe(`${fs.statSync(path).ino}`);
  expect(birth_time).toBe(new Date(Math.floor(fs.statSync(path).birthtimeMs)).toISOString());
  // From here on its last change is later than its birth, wherever that is known.
  for (const began = Date.now(); Date.now() < began + 50; ) fs.writeFileSync(join(path, 'file'), '');
  fs.rmSync(join(path, 'file'));
  const hasBirth = identityOfDirectory(path).birth_time === birth_time;
  expect(standing(path, { inode, birth_time })).toBe('here');
  expect(standing(path, { inode: `${inode}1`, birth_time })).toBe('replaced');
  expect(standing(path, { inode, birth_time: BORN })).toBe(hasBirth ? 'replaced' : 'here');
});

test('where the time of birth is that of the last change, or none, the inode alone decides', (context) => {
  const base = emptyDirectory();
  const isFresh = (path: string): boolean => {
    fs.mkdirSync(path);
    const { birthtimeNs, ctimeNs } = fs.statSync(path, { bigint: true });
    return birthtimeNs === ctimeNs;
  };
  const fresh = Array.from({ length: 100 }, (_, i) => join(base, `${i}`)).find(isFresh);
  for (const path of ['/proc', ...(fresh === undefined ? [] : [fresh])]) {
    const identity = identityOfDirectory(path);
    expect(standing(path, identity), path).toBe('here');
    expect(standing(path, { ...identity, inode: `${identity.inode}1` }), path).toBe('replaced');
  }
  if (fresh === undefined) return context.skip('every directory here is changed after its birth');
  expect(standing(fresh, { ...identityOfDirectory(fresh), birth_time: BORN })).toBe('here');
});

test.each([
  ['nothing', 'none'],
  ['something below a file', 'file/below'],
  ['a link to nothing', 'link'],
  ['a link to itself', 'loop'],
])('a project at whose path is %s is missing, and has no identity', (_, name) => {
  const base = emptyDirectory();
  fs.writeFileSync(join(base, 'file'), '');
  for (const link of ['link', 'loop']) fs.symlinkSync(link === 'loop' ? 'loop' : 'none', join(base, link));
  const path = join(base, name);
  expect(standing(path)).toBe('missing');
  expect(() => identityOfDirectory(path)).toThrow(
    expect.objectContaining({ code: 'usage', message: `there is no directory ${path}` }),
  );
});

test('of two commands that make a store the first does, and both go on with its record', () => {
  const base = emptyDirectory();
  const state = join(base, 'state');
  const record = { v: 1, path: base, host: 'here', inode: '1', birth_time: BORN, created_at: BORN } as const;
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
  const record = { v: 1, store_id: 's', path: base, host: 'here', created_at: BORN } as const;
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
  for (const name of ['b', 'a', '.new-x', 'c'])
    fs.mkdirSync(join(state, 'projects', name), { recursive: true });
  fs.writeFileSync(join(state, 'projects', 'file'), '');
  const listed = listStores(state);
  expect(listed.map(({ root }) => basename(root))).toEqual(['a', 'b', 'c']);
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
