import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityOfDirectory } from '../../../src/store/directory-identity.ts';
import { movedTo } from '../../../src/store/moved-store.ts';
import { listStores, storeDir } from '../../../src/store/project-store.ts';
import type { ProjectRecord } from '../../../src/store/records.ts';
import { findProject } from '../../../src/store/which-project.ts';
import { emptyDirectory, tellsBirths } from '../../helpers/directory.ts';
import { git } from '../../helpers/git.ts';
import { storeOf } from '../../helpers/store.ts';

/** Then no window need agree. */
const TELLS_BIRTHS = tellsBirths();

/** A project with a store and a window to it, and a path beside it. */
function createPlace() {
  const base = emptyDirectory();
  const at = (name: string): string => join(base, name);
  const [state, was, now] = [at('state'), at('was'), at('now')];
  fs.mkdirSync(was);
  const { root } = storeOf(state, was, 'here');
  const openWindow = (checkout: string, store = root): void => {
    fs.mkdirSync(join(checkout, '.zwarm'), { recursive: true });
    fs.symlinkSync(join(store, 'sessions'), join(checkout, '.zwarm', 'sessions'));
  };
  openWindow(was);
  return {
    ...{ at, state, was, now, root, openWindow },
    /** Its record, changed so. */
    record(change: Partial<ProjectRecord>): void {
      const path = join(root, 'project.json');
      fs.writeFileSync(path, JSON.stringify({ ...JSON.parse(fs.readFileSync(path, 'utf8')), ...change }));
    },
    /** Whether it belongs to the directory at a path now, and whether that is sure; null where it does not. */
    verdict(path = now): 'sure' | 'perhaps' | null {
      const [found] = movedTo(state, () => 'here', { paths: [path], checkout: path }, listStores(state));
      if (found === undefined) return null;
      expect(found).toMatchObject({ root, path });
      return found.isSure ? 'sure' : 'perhaps';
    },
  };
}

type Place = ReturnType<typeof createPlace>;

const copy = ({ was, now }: Place): void => fs.cpSync(was, now, { recursive: true, verbatimSymlinks: true });
const move = ({ was, now }: Place): void => fs.renameSync(was, now);
const closeWindow = ({ was }: Place): void => fs.rmSync(join(was, '.zwarm'), { recursive: true });
const remove = ({ was }: Place): void => fs.rmSync(was, { recursive: true });
/** As an inode that is used again. */
const sameInode = ({ now, record }: Place): void => {
  fs.mkdirSync(now);
  record({ inode: String(fs.statSync(now).ino) });
};

test.each<[string, 'sure' | 'perhaps' | null, readonly ((place: Place) => unknown)[]]>([
  ['was moved', 'sure', [move]],
  ['was moved, and has no window', TELLS_BIRTHS ? 'sure' : 'perhaps', [closeWindow, move]],
  ['was moved, where another one is in its place', 'sure', [move, ({ was }) => fs.mkdirSync(was)]],
  ['was copied before it was removed', 'perhaps', [copy, remove]],
  ['was copied without its window before it was removed', null, [closeWindow, copy, remove]],
  ['is a copy', null, [copy]],
  ['is new', null, [({ now }) => fs.mkdirSync(now)]],
  // As a mount of it would be.
  ['is the same one at another path', null, [({ was, now }) => fs.symlinkSync(was, now)]],
  ['is new, with the inode of the old one', TELLS_BIRTHS ? null : 'perhaps', [remove, sameInode]],
  [
    'has the time of birth of the old one alone',
    null,
    [closeWindow, ({ record }) => record({ inode: '1' }), move],
  ],
  ['was moved, by its window alone', 'perhaps', [({ record }) => record({ inode: '1' }), move]],
  [
    'was moved on another host, or has another path in a container',
    null,
    [({ record }) => record({ host: 'there' }), move],
  ],
  [
    'was moved, and has a record that cannot be read',
    null,
    [({ root }) => fs.rmSync(join(root, 'project.json')), move],
  ],
])('a directory that %s: %s', (_, expected, steps) => {
  const place = createPlace();
  for (const step of steps) step(place);
  expect(place.verdict()).toBe(expected);
});

test('where no birth is told, the inode alone is not enough, and with the window it is', () => {
  const place = createPlace();
  place.record({ ...identityOfDirectory('/proc'), path: place.at('gone') });
  const verdict = (checkout: string) =>
    movedTo(place.state, () => 'here', { paths: ['/proc'], checkout }, listStores(place.state)).map(
      ({ isSure }) => isSure,
    );
  expect([verdict(place.at('')), verdict(place.was)]).toEqual([[false], [true]]);
  // An agent can make directories in its project until one has that inode, and a window in it.
  const forged = join(place.was, 'forged');
  place.openWindow(forged);
  expect(verdict(forged)).toEqual([false]);
});

test('of another directory at the path of a project its window alone says that it may be the same one', () => {
  const place = createPlace();
  copy(place);
  remove(place);
  fs.renameSync(place.now, place.was);
  expect(place.verdict(place.was)).toBe('perhaps');
  closeWindow(place);
  expect(place.verdict(place.was)).toBeNull();
});

test('a link in the old place does not hide that a project was moved', () => {
  const place = createPlace();
  move(place);
  fs.symlinkSync(place.now, place.was);
  expect(place.verdict()).toBe('sure');
  const { state, root, now, was } = place;
  expect(findProject(was, null, state, () => 'here')).toMatchObject({ root, path: now });
});

test('the window of a linked worktree that git does not know any more is no sign of its own', () => {
  const place = createPlace();
  const { state, at, was, now } = place;
  git(was, 'init', '-q');
  git(was, 'commit', '-q', '--allow-empty', '-m', 'x');
  git(was, 'worktree', 'add', '-q', at('linked'));
  const common = join(was, '.git');
  const { root } = storeOf(state, common, 'here');
  place.openWindow(at('linked'), root);
  move(place);
  const stores = listStores(state);
  const linked = { paths: [at('linked')], checkout: at('linked') };
  expect(movedTo(state, () => 'here', linked, stores)).toEqual([]);
  git(now, 'worktree', 'repair', at('linked'));
  const found = findProject(at('linked'), null, state, () => 'here');
  expect(found).toMatchObject({ root, path: join(now, '.git') });
});

test('of two directories that have taken the places of each other each has its own sessions', () => {
  const { at, state, was, now, root, openWindow } = createPlace();
  fs.mkdirSync(now);
  const other = storeOf(state, now, 'here').root;
  openWindow(now, other);
  fs.renameSync(was, at('between'));
  fs.renameSync(now, was);
  fs.renameSync(at('between'), now);
  const found = (path: string) => findProject(path, null, state, () => 'here');
  expect([found(was), found(now)]).toMatchObject([
    { root: other, path: was },
    { root, path: now },
  ]);
});

test('a directory below one that was moved belongs to its project', () => {
  const place = createPlace();
  fs.mkdirSync(join(place.was, 'a', 'b'), { recursive: true });
  move(place);
  const { state, root, now } = place;
  const found = findProject(join(now, 'a', 'b'), null, state, () => 'here');
  expect(found).toMatchObject({ root, path: now, checkout: now });
});

test('sessions from before git init stay with the directory when it is moved', () => {
  const place = createPlace();
  git(place.was, 'init', '-q');
  move(place);
  const { state, root, now } = place;
  expect(findProject(now, null, state, () => 'here')).toMatchObject({
    root,
    path: now,
    gitDir: join(now, '.git'),
  });
});

test('of two stores that belong to a directory it has the one to which its window leads, and without that none', () => {
  const place = createPlace();
  const { state, now, root } = place;
  fs.cpSync(root, `${root}-other`, { recursive: true });
  move(place);
  const found = (): string => findProject(now, null, state, () => 'here').root;
  expect(found()).toBe(root);
  closeWindow({ ...place, was: now });
  expect(found()).toBe(storeDir(state, now));
});
