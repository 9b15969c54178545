import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whyNotOurs } from '../../../src/store/own-place.ts';
import { testAsRoot } from '../../helpers/as-root.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { MAKER } from '../../helpers/store.ts';

const [ROOT, ANN, BOB] = [0, 4321, 4322];
const UID_MAP = '/proc/self/uid_map';

/** Makes `home/a/b`, each of them a user's; the home. */
function createHome(owners: readonly number[], mode = 0o755): string {
  const home = emptyDirectory();
  let path = home;
  for (const [depth, owner] of owners.entries()) {
    path = join(home, ...['a', 'b'].slice(0, depth));
    mkdirSync(path, { recursive: true });
    chownSync(path, owner, owner);
  }
  chmodSync(path, mode);
  return home;
}

const IN_HOME = { HOME: '~' };

/** Who makes `~/a/b/new/x` where these directories are whose, and which of them is in the way. */
const ROWS: readonly (readonly [
  uid: number,
  owners: number[],
  env: Record<string, string>,
  inTheWay: string,
])[] = [
  [ROOT, [ROOT, ROOT, ROOT], IN_HOME, ''],
  [ROOT, [ANN], IN_HOME, '~'],
  [ROOT, [ANN, ANN, ANN], IN_HOME, '~/a/b'],
  // What root has made there before does not make the home root's.
  [ROOT, [ANN, ROOT, ROOT], IN_HOME, '~'],
  [ROOT, [ANN, ROOT], { HOME: '~', XDG_STATE_HOME: '~/a' }, '~'],
  // Root has named a directory of its own.
  [ROOT, [ANN, ROOT], { HOME: '~', ZWARM_DIR: '~/a' }, ''],
  [ROOT, [ANN, ROOT], { HOME: '~', ZWARM_DIR: 'a' }, ''],
  [ROOT, [ANN, ROOT, ANN], { HOME: '~', ZWARM_DIR: '~/a' }, '~/a/b'],
  // As an agent of root's session there has it.
  [ROOT, [ANN, ROOT], { HOME: '~', ZWARM_STORE: '~/a/projects/x' }, ''],
  [ROOT, [ANN, ROOT], { HOME: '/root', XDG_CONFIG_HOME: '~' }, '~'],
  // In no home: whose the nearest one is decides.
  [ROOT, [ANN, ROOT], { HOME: 'relative' }, ''],
  [ROOT, [ROOT, ANN], {}, '~/a'],
  [ANN, [ANN, ANN], IN_HOME, ''],
  [ANN, [BOB, ANN], IN_HOME, '~'],
  // Root administers homes, and gives away what is in them.
  [ANN, [ROOT, ANN], IN_HOME, ''],
];

testAsRoot('nothing is made in a directory of another user, nor below their home', () => {
  for (const [uid, owners, env, inTheWay] of ROWS) {
    const home = createHome(owners);
    const at = (path: string) => path.replace('~', home);
    const its = Object.fromEntries(Object.entries(env).map(([name, path]) => [name, at(path)]));
    const found = whyNotOurs({ cwd: home, env: its, uid }, at('~/a/b/new/x'));
    const owner = owners[inTheWay.split('/').length - 1];
    const why = inTheWay && `${at(inTheWay)} belongs to another user (uid ${owner})`;
    expect.soft(found?.message ?? '', JSON.stringify([uid, owners, env])).toBe(why);
  }
});

const WHOLE = /^\s*0\s+0\s+4294967295\s*$/;
const knowsAll = existsSync(UID_MAP) && WHOLE.test(readFileSync(UID_MAP, 'utf8'));

testAsRoot(
  'nobody is another user, where the user namespace knows all users',
  () => {
    const HOME = createHome([65_534]);
    expect(whyNotOurs({ ...MAKER, env: { HOME } }, join(HOME, 'x'))?.message).toContain('(uid 65534)');
  },
  { what: 'all users', met: knowsAll },
);

testAsRoot('in a directory in which each has their own, as /tmp, anybody makes something', () => {
  expect(whyNotOurs(MAKER, join(createHome([ANN], 0o1777), 'x'))).toBeNull();
  expect(whyNotOurs(MAKER, join(createHome([ANN], 0o777), 'x'))).not.toBeNull();
  const HOME = createHome([ANN], 0o1777);
  expect(whyNotOurs({ ...MAKER, env: { HOME } }, join(HOME, 'x'))?.message).toContain(HOME);
});

testAsRoot(
  'a link leads to whose the other place is, and a state directory by --state-dir counts as named',
  () => {
    const [mine, anns] = [createHome([ROOT]), createHome([ANN])];
    symlinkSync(anns, join(mine, 'link'));
    expect(whyNotOurs({ ...MAKER, env: { HOME: mine } }, join(mine, 'link/x'))?.message).toContain(
      `${mine}/link belongs`,
    );
    const home = createHome([ANN, ROOT]);
    const maker = { ...MAKER, env: { HOME: home }, stateDir: join(home, 'a') };
    expect(whyNotOurs(maker, join(home, 'a/x'))).toBeNull();
  },
);

test('users make what they want in their own home', () => {
  const HOME = emptyDirectory();
  expect(whyNotOurs({ ...MAKER, env: { HOME: `${HOME}/` } }, `${HOME}//a/../b/c`)).toBeNull();
});
