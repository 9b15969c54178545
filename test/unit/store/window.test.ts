import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasOldStore, makeWindowFromGit, windowStateOf, windowTarget } from '../../../src/store/window.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { snapshot } from '../../helpers/tree.ts';

const SESSIONS = '/store/sessions';

/** What lies at `.zwarm`, made by `plant` in a checkout: the state of that window, and where it leads. */
test.each<[string, (window: string, link: string) => void, string, string | null]>([
  ['nothing', () => undefined, 'missing', null],
  ['an empty directory', (window) => fs.mkdirSync(window), 'replaceable', null],
  ['a link of its own', (_, link) => fs.symlinkSync(SESSIONS, link), 'open', SESSIONS],
  ['a link that leads elsewhere', (_, link) => fs.symlinkSync('/other', link), 'replaceable', '/other'],
  ['a link to itself', (_, link) => fs.symlinkSync(link, link), 'replaceable', 'itself'],
  ['an empty directory of sessions', (_, link) => fs.mkdirSync(link), 'replaceable', null],
  ['sessions', (_, link) => fs.mkdirSync(join(link, 'abc'), { recursive: true }), 'occupied', null],
  ['a file called sessions', (_, link) => fs.writeFileSync(link, ''), 'occupied', null],
  ['a file', (window) => fs.writeFileSync(window, ''), 'occupied', null],
  ['a link to an empty directory', (window) => fs.symlinkSync('.', window), 'occupied', null],
  ['a link to nothing', (window) => fs.symlinkSync('none', window), 'occupied', null],
  ['a link that is its own target', (window) => fs.symlinkSync('.zwarm', window), 'occupied', null],
])('a window in whose place is %s is seen as such', (_, plant, state, target) => {
  const checkout = emptyDirectory();
  const link = join(checkout, '.zwarm', 'sessions');
  if (plant.length > 1) fs.mkdirSync(join(checkout, '.zwarm'));
  plant(join(checkout, '.zwarm'), link);
  expect(windowStateOf(checkout, SESSIONS)).toBe(state);
  expect(windowTarget(checkout)).toBe(target === 'itself' ? link : target);
});

function createCheckout(): { checkout: string; gitDir: string; make: () => boolean } {
  const checkout = join(emptyDirectory(), 'shop');
  const gitDir = join(checkout, '.git');
  fs.mkdirSync(gitDir, { recursive: true });
  return { checkout, gitDir, make: () => makeWindowFromGit(checkout, gitDir, SESSIONS, 'x') };
}

test('a window is whole, ours alone and out of git’s sight; none is made a second time', () => {
  const { checkout, gitDir, make } = createCheckout();
  expect(make()).toBe(true);
  expect(windowStateOf(checkout, SESSIONS)).toBe('open');
  const window = join(checkout, '.zwarm');
  expect(fs.readFileSync(join(window, '.gitignore'), 'utf8')).toBe('*\n');
  expect(fs.statSync(window).mode & 0o777).toBe(0o700);
  const before = snapshot(checkout);
  expect(make()).toBe(false);
  expect(snapshot(checkout)).toEqual(before);
  expect(fs.readdirSync(gitDir)).toEqual([]);
});

test.each<[string, (checkout: string) => void]>([
  ['a link is in the way', (checkout) => fs.symlinkSync('elsewhere', join(checkout, '.zwarm'))],
  ['a file is in the way', (checkout) => fs.writeFileSync(join(checkout, '.zwarm'), 'mine')],
  ['there is no git directory', (checkout) => fs.rmdirSync(join(checkout, '.git'))],
  [
    'the git directory is a file',
    (checkout) => {
      fs.rmdirSync(join(checkout, '.git'));
      fs.writeFileSync(join(checkout, '.git'), '');
    },
  ],
])('where %s no window is made, and nothing is left', (_, plant) => {
  const { checkout, make } = createCheckout();
  plant(checkout);
  const before = snapshot(checkout);
  expect(make()).toBe(false);
  expect(snapshot(checkout)).toEqual(before);
});

test.each<[string, boolean, (window: string) => void]>([
  ['both of its parts', true, () => undefined],
  ['no sessions', false, (window) => fs.rmdirSync(join(window, 'sessions'))],
  ['no format', false, (window) => fs.rmSync(join(window, 'format'))],
  [
    'a link for its sessions',
    false,
    (window) => {
      fs.rmdirSync(join(window, 'sessions'));
      fs.symlinkSync('.', join(window, 'sessions'));
    },
  ],
  [
    'a directory for its format',
    false,
    (window) => {
      fs.rmSync(join(window, 'format'));
      fs.mkdirSync(join(window, 'format'));
    },
  ],
])('a store of zwarm 0.1 that has %s counts as one: %s', (_, expected, spoil) => {
  const checkout = emptyDirectory();
  const window = join(checkout, '.zwarm');
  fs.mkdirSync(join(window, 'sessions'), { recursive: true });
  fs.writeFileSync(join(window, 'format'), '1\n');
  spoil(window);
  expect(hasOldStore(checkout)).toBe(expected);
});
