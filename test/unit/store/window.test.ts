import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasOldStore, makeWindowFromGit, windowStateOf, windowTarget } from '../../../src/store/window.ts';
import { directoryWith } from '../../helpers/directory.ts';
import { snapshot } from '../../helpers/tree.ts';

type Files = Parameters<typeof directoryWith>[0];

const SESSIONS = '/store/sessions';

test.each<[string, Files, string, string | null]>([
  ['nothing', {}, 'missing', null],
  ['an empty directory', { '.zwarm': null }, 'replaceable', null],
  ['a link of ours', { '.zwarm/sessions': `@${SESSIONS}` }, 'open', SESSIONS],
  ['a link that leads elsewhere', { '.zwarm/sessions': '@/other' }, 'replaceable', '/other'],
  ['a link to itself', { '.zwarm/sessions': '@sessions' }, 'replaceable', 'sessions'],
  ['an empty directory of sessions', { '.zwarm/sessions': null }, 'replaceable', null],
  ['sessions', { '.zwarm/sessions/abc': null }, 'occupied', null],
  ['a file called sessions', { '.zwarm/sessions': '' }, 'occupied', null],
  ['a file', { '.zwarm': '' }, 'occupied', null],
  ['a link to an empty directory', { '.zwarm': '@empty', empty: null }, 'occupied', null],
  ['a link to nothing', { '.zwarm': '@none' }, 'occupied', null],
  ['a link that is its own target', { '.zwarm': '@.zwarm' }, 'occupied', null],
])('a window in whose place is %s is seen as such', (_, files, state, target) => {
  const checkout = directoryWith(files);
  expect(windowStateOf(checkout, SESSIONS)).toBe(state);
  expect(windowTarget(checkout)).toBe(target);
});

const make = (checkout: string): boolean =>
  makeWindowFromGit(checkout, join(checkout, '.git'), SESSIONS, 'x');

test('a window is whole, ours alone and out of git’s sight', () => {
  const checkout = directoryWith({ '.git': null });
  expect(make(checkout)).toBe(true);
  expect(windowStateOf(checkout, SESSIONS)).toBe('open');
  const window = join(checkout, '.zwarm');
  expect(fs.readFileSync(join(window, '.gitignore'), 'utf8')).toBe('*\n');
  expect(fs.statSync(window).mode & 0o777).toBe(0o700);
  expect(fs.readdirSync(join(checkout, '.git'))).toEqual([]);
});

test.each<[string, Files]>([
  ['a window is already', { '.git': null, '.zwarm/sessions': `@${SESSIONS}` }],
  ['a link is in the way', { '.git': null, '.zwarm': '@elsewhere' }],
  ['a file is in the way', { '.git': null, '.zwarm': 'mine' }],
  ['there is no git directory', {}],
  ['the git directory is a file', { '.git': '' }],
])('where %s none is made, and nothing is left', (_, files) => {
  const checkout = directoryWith(files);
  const before = snapshot(checkout);
  expect(make(checkout)).toBe(false);
  expect(snapshot(checkout)).toEqual(before);
});

test.each<[string, boolean, Files]>([
  ['format and sessions', true, { format: '1\n', sessions: null }],
  ['no sessions', false, { format: '1\n' }],
  ['no format', false, { sessions: null }],
  ['a link for its sessions', false, { format: '1\n', sessions: '@.' }],
  ['a directory for its format', false, { format: null, sessions: null }],
])('a store of zwarm 0.1 that has %s counts as one: %s', (_, expected, files) => {
  expect(hasOldStore(directoryWith(files, '.zwarm'))).toBe(expected);
});
