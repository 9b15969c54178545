import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ManagerContext } from '../../../../src/manager/context.ts';
import { findMoved, projectNotices } from '../../../../src/manager/project/moved-project.ts';
import { storeDir } from '../../../../src/store/project-store.ts';
import type { ProjectRecord } from '../../../../src/store/records.ts';
import { testInstallation } from '../../../helpers/context.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { git } from '../../../helpers/git.ts';
import { storeOf } from '../../../helpers/store.ts';

/** A project with a store and a window to it, and a path beside it. */
function createPlace() {
  const base = emptyDirectory();
  const [state, was, now] = ['state', 'was', 'now'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  fs.mkdirSync(join(base, 'home'));
  fs.mkdirSync(was);
  const { root } = storeOf(state, was);
  fs.mkdirSync(join(was, '.zwarm'));
  fs.symlinkSync(join(root, 'sessions'), join(was, '.zwarm', 'sessions'));
  return {
    base,
    was,
    now,
    root,
    /** Its record, changed so. */
    record(change: Partial<ProjectRecord>): void {
      const path = join(root, 'project.json');
      fs.writeFileSync(path, JSON.stringify({ ...JSON.parse(fs.readFileSync(path, 'utf8')), ...change }));
    },
    /** The store that the project at a path had elsewhere. */
    moved: (path = now): string | null =>
      findMoved({ state, root: storeDir(state, path), path, checkout: path, gitDir: null })?.root ?? null,
    /** What `ls` says in a directory. */
    notices(cwd: string, env: ManagerContext['env'] = {}): Promise<readonly string[]> {
      const uid = process.getuid?.() ?? 0;
      return projectNotices({
        ...testInstallation(),
        cwd,
        env: { HOME: join(base, 'home'), ...env },
        uid,
        stateDir: state,
      });
    },
  };
}

type Place = ReturnType<typeof createPlace>;

const copy = ({ was, now }: Place): void => fs.cpSync(was, now, { recursive: true, verbatimSymlinks: true });
const move = ({ was, now }: Place): void => fs.renameSync(was, now);
const closeWindow = ({ was }: Place): void => fs.rmSync(join(was, '.zwarm'), { recursive: true });
const remove = ({ was }: Place): void => fs.rmSync(was, { recursive: true });

test.each<[string, boolean, readonly ((place: Place) => unknown)[]]>([
  ['that was moved', true, [move]],
  ['that was moved and has no window', true, [closeWindow, move]],
  ['that was moved, where another one is in its place', true, [move, ({ was }) => fs.mkdirSync(was)]],
  ['that was copied before it was removed', true, [copy, remove]],
  ['that was copied without its window before it was removed', false, [closeWindow, copy, remove]],
  ['that is a copy', false, [copy]],
  ['that is new', false, [({ now }) => fs.mkdirSync(now)]],
  [
    'that has the inode of the old one alone',
    false,
    [closeWindow, ({ record }) => record({ birth_time: BORN }), move],
  ],
  [
    'that has the birth time of the old one alone',
    false,
    [closeWindow, ({ record }) => record({ inode: '1' }), move],
  ],
  [
    'that was moved, by its window alone',
    true,
    [({ record }) => record({ inode: '1', birth_time: BORN }), move],
  ],
  ['whose sessions cannot be told', false, [({ root }) => fs.rmSync(join(root, 'project.json')), move]],
])('a project %s has sessions elsewhere: %s', async (_, has, steps) => {
  const place = createPlace();
  for (const step of steps) step(place);
  expect(place.moved()).toBe(has ? place.root : null);
  const said = `this project was at ${place.was}; to have its sessions here: zwarm relocate`;
  expect(await place.notices(place.now)).toEqual(has ? [said] : []);
});

const BORN = '2026-11-20T10:00:00.000Z';

test('what is kept for a path was not moved there, whatever directory and window are there now', () => {
  const place = createPlace();
  copy(place);
  remove(place);
  fs.renameSync(place.now, place.was);
  expect(place.moved(place.was)).toBeNull();
});

test('a project with sessions here is told of none elsewhere, and an agent of nothing', async () => {
  const place = createPlace();
  move(place);
  expect(await place.notices(place.now, { ZWARM_STORE: place.root })).toEqual([]);
  storeOf(join(place.base, 'state'), place.now);
  expect(await place.notices(place.now)).toEqual([]);
});

test('where another directory stands now, or a link to it, it is told of the one that was there', async () => {
  const place = createPlace();
  expect(await place.notices(place.was)).toEqual([]);
  const link = join(place.base, 'link');
  fs.symlinkSync('was', link);
  expect(await place.notices(link)).toEqual([]);
  place.record({ inode: '1' });
  const said = `zwarm keeps the sessions of another directory that was at ${place.was}; where it was moved to: zwarm relocate --to DIR`;
  for (const cwd of [place.was, link]) expect(await place.notices(cwd)).toEqual([said]);
  // What is kept under this path for another one is being relocated to it.
  fs.mkdirSync(place.now);
  place.record({ path: place.now });
  expect(await place.notices(place.was)).toEqual([]);
});

test('sessions of zwarm 0.1 in a project are named, and stay', async () => {
  const { base, was, now, notices } = createPlace();
  const window = join(was, '.zwarm');
  fs.writeFileSync(join(window, 'format'), '1\n');
  expect(await notices(was)).toEqual([]);
  fs.unlinkSync(join(window, 'sessions'));
  fs.mkdirSync(join(window, 'sessions'));
  const said = `${window} holds sessions of zwarm 0.1, which this version does not read; they stay as they are`;
  expect(await notices(was)).toEqual([said]);
  // Of a repository the window lies in the checkout.
  git(base, 'init', '-q', 'now');
  fs.renameSync(window, join(now, '.zwarm'));
  expect(await notices(now)).toEqual([said.replace(window, join(now, '.zwarm'))]);
});
