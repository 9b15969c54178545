import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ManagerContext } from '../../../../src/manager/context.ts';
import { projectNotices } from '../../../../src/manager/project/moved-project.ts';
import type { ProjectRecord } from '../../../../src/store/records.ts';
import { testInstallation } from '../../../helpers/context.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { git } from '../../../helpers/git.ts';
import { ID, storeOf } from '../../../helpers/store.ts';

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

const move = ({ was, now }: Place): void => fs.renameSync(was, now);

test('sessions that may belong to a project are offered where there are any, and its own are not', async () => {
  const place = createPlace();
  const { was, now, root, record, notices } = place;
  move(place);
  expect(await notices(now)).toEqual([]);
  // The window alone is one witness.
  record({ inode: '1' });
  expect(await notices(now)).toEqual([]);
  fs.mkdirSync(join(root, 'sessions', ID));
  const offer = `the sessions of the directory that was at ${was} may belong to this project; to have them here: zwarm relocate`;
  expect(await notices(now)).toEqual([offer]);
  record({ inode: String(fs.statSync(now).ino) });
  expect(await notices(now)).toEqual([]);
});

test('a project with sessions here is offered those elsewhere, too, and an agent is told nothing', async () => {
  const place = createPlace();
  move(place);
  fs.mkdirSync(join(place.root, 'sessions', ID));
  storeOf(join(place.base, 'state'), place.now);
  expect(await place.notices(place.now)).toEqual([expect.stringContaining('may belong to this project')]);
  expect(await place.notices(place.now, { ZWARM_STORE: place.root })).toEqual([]);
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
  const said = `${window} holds sessions of an early zwarm, which kept them in the project: no list shows them, and they stay as they are`;
  expect(await notices(was)).toEqual([said]);
  // Of a repository the window lies in the checkout.
  git(base, 'init', '-q', 'now');
  fs.renameSync(window, join(now, '.zwarm'));
  expect(await notices(now)).toEqual([said.replace(window, join(now, '.zwarm'))]);
});
