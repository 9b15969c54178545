import { expect, test } from 'vitest';
import { hasOldStore, windowStateOf, windowTarget } from '../../../src/store/window.ts';
import { directoryWith } from '../../helpers/directory.ts';

type Files = Parameters<typeof directoryWith>[0];

const SESSIONS = '/store/sessions';

test.each<[string, Files, string, string | null]>([
  ['nothing', {}, 'free', null],
  ['an empty directory', { '.zwarm': null }, 'free', null],
  ['a link of ours', { '.zwarm/sessions': `@${SESSIONS}` }, 'open', SESSIONS],
  ['a link that leads elsewhere', { '.zwarm/sessions': '@/other' }, 'free', '/other'],
  ['a link to itself', { '.zwarm/sessions': '@sessions' }, 'free', 'sessions'],
  ['an empty directory of sessions', { '.zwarm/sessions': null }, 'free', null],
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

test.each<[string, boolean, Files]>([
  ['format and sessions', true, { format: '1\n', sessions: null }],
  ['no sessions', false, { format: '1\n' }],
  ['no format', false, { sessions: null }],
  ['a link for its sessions', false, { format: '1\n', sessions: '@.' }],
  ['a directory for its format', false, { format: null, sessions: null }],
])('a store of zwarm 0.1 that has %s counts as one: %s', (_, expected, files) => {
  expect(hasOldStore(directoryWith(files, '.zwarm'))).toBe(expected);
});
