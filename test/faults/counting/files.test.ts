import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createFile, publishOnce, putUserFile, replaceFile } from '../../../src/store/files.ts';
import { isSound, moveStore, noteWhereItIs, storeAt, storeDir } from '../../../src/store/project-store.ts';
import { removeSession } from '../../../src/store/remove.ts';
import { hasSession } from '../../../src/store/sessions.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { createStoredSession, ID, storeOf } from '../../helpers/store.ts';
import { arm, disarm, meanwhile } from './syscalls.ts';

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

/** The calls of `act` below a directory that give a file its place, in their order; what they name is relative to it. */
function placing(directory: string, act: () => void): readonly string[] {
  arm(null);
  act();
  const calls = disarm().filter((call) => /^(fsync|link|rename) /.test(call));
  return calls.map((call) => call.replaceAll(`${directory}/`, '').replaceAll(directory, '.'));
}

test('a file is on the disk before it has its place; one of the user’s own has it there, too', () => {
  const base = emptyDirectory();
  const [path, tmp] = [join(base, 'file'), join(base, 'tmp')];
  expect(placing(base, () => replaceFile(path, 'x', tmp))).toEqual(['fsync tmp', 'rename tmp file']);
  expect(placing(base, () => publishOnce(path, 'x', tmp))).toEqual(['fsync tmp', 'link tmp file']);
  const user = placing(base, () => putUserFile(path, 'x', 'n'));
  expect(user).toEqual(['fsync .new-n.file', 'rename .new-n.file file', 'fsync .']);
});

test('a state directory that somebody makes open to others just then gets no store', () => {
  const base = emptyDirectory();
  const state = join(base, 'state');
  meanwhile(/^mkdir .*\/state$/, () => {
    mkdirSync(state);
    chmodSync(state, 0o777);
  });
  expect(() => storeOf(state, base)).toThrow(`${state} can be written by others`);
  expect(readdirSync(join(state, 'projects'))).toEqual([]);
});

test('a store that moves is in its new place on the disk before its record says so', () => {
  const { root, projectRoot, state } = createStoredSession();
  const there = `${projectRoot}-moved`;
  renameSync(projectRoot, there);
  const projects = dirname(root);
  const home = storeDir(state, there);
  const move = (from: string): readonly string[] => {
    const store = storeAt(from);
    if (store === null || !isSound(store)) throw new Error('there is no store');
    return placing(projects, () =>
      expect(moveStore(store, { state, path: there, host: 'here' }, 'n')).toBe(home),
    );
  };
  const name = basename(home);
  const renewed = [`fsync ${name}/.new-n`, `rename ${name}/.new-n ${name}/project.json`, `fsync ${name}`];
  const before = readFileSync(join(root, 'project.json'));
  expect(move(root)).toEqual([`rename ${basename(root)} ${name}`, 'fsync .', ...renewed]);
  // As a command leaves it that is killed between the two.
  writeFileSync(join(home, 'project.json'), before);
  expect(move(home)).toEqual(['fsync .', ...renewed]);
  expect(move(home)).toEqual([]);
});

test('a store that another command moves while it is noted where its project is stays as that has left it', () => {
  const { root, state } = createStoredSession();
  const store = storeAt(root);
  if (store === null || !isSound(store)) throw new Error('there is no store');
  const moved = join(state, 'projects', 'moved');
  meanwhile(/^open .*\/\.new-n$/, () => renameSync(root, moved));
  noteWhereItIs(store, '/there', 'n');
  expect(storeAt(root)).toBeNull();
  expect(storeAt(moved)?.record).toEqual(store.record);
  noteWhereItIs({ root: moved, record: store.record }, '/there', 'n');
  expect(storeAt(moved)?.record).toEqual({ ...store.record, seen_at: '/there' });
});

test('a session whose files cannot be deleted is removed all the same, and it is said where they are', () => {
  const stores = [createStoredSession(), createStoredSession()] as const;
  const remove = (store: (typeof stores)[number]) => removeSession({ store, id: ID }, [], 'n');
  arm(null);
  remove(stores[0]);
  const at = disarm().findIndex((call) => call.startsWith('spawnSync')) + 1;
  arm({ kind: 'EIO', at, onwards: false });
  const path = join(stores[1].root, 'trash', `${ID}.n`);
  expect(() => remove(stores[1])).toThrow(
    expect.objectContaining({
      code: 'io',
      message: expect.stringContaining(
        `${ID} is removed, but its files in ${path} are still there: injected`,
      ),
      hint: 'zwarm clean deletes them once they are an hour old',
    }),
  );
  disarm();
  expect(hasSession({ store: stores[1], id: ID })).toBe(false);
  expect(existsSync(path)).toBe(true);
});
