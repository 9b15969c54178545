import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inspectTree } from '../../../src/store/inspect.ts';
import { testAsRoot } from '../../helpers/as-root.ts';
import { plantDeepTree } from '../../helpers/deep.ts';
import { createStoredSession, ID } from '../../helpers/store.ts';

const UID = process.getuid?.() ?? 0;

function oddities(root: string): Record<string, { count: number; first: string }> {
  return Object.fromEntries(inspectTree(root, UID).odd);
}

test('a state directory as zwarm makes it has nothing odd, whatever the umask is', () => {
  const before = process.umask(0);
  try {
    const { root } = createStoredSession();
    expect(oddities(root)).toEqual({});
    // The directory, sessions, the session with its record, turns and turn, and the four files of that.
    expect(inspectTree(root, UID)).toMatchObject({ looked: 10, whole: true });
  } finally {
    process.umask(before);
  }
});

test('what others can write, read or enter is counted, with the first of it', () => {
  const { root } = createStoredSession();
  const session = join(root, 'sessions', ID);
  chmodSync(root, 0o755);
  chmodSync(join(session, 'session.json'), 0o666);
  chmodSync(join(session, 'turns'), 0o711);
  const readable = { count: 2, first: root };
  expect(oddities(root)).toEqual({ readable, writable: { count: 1, first: join(session, 'session.json') } });
});

test('links and FIFOs are told of, and neither followed nor opened', () => {
  const { root } = createStoredSession();
  const session = join(root, 'sessions', ID);
  symlinkSync('/', join(session, 'everything'));
  symlinkSync(root, join(root, 'sessions', 'loop'));
  symlinkSync('/nowhere', join(session, 'dangling'));
  execFileSync('mkfifo', ['-m', '600', join(session, 'fifo')]);
  expect(oddities(root)).toEqual({ special: { count: 4, first: expect.any(String) } });
  expect(inspectTree(root, UID).looked).toBe(14);
});

test('a tree without end is given up', () => {
  const { root } = createStoredSession();
  const planted = join(root, 'planted');
  mkdirSync(planted, { mode: 0o700 });
  for (let i = 0; i < 30; i += 1) writeFileSync(join(planted, String(i)), '', { mode: 0o600 });
  expect(inspectTree(root, UID, 41)).toMatchObject({ looked: 41, whole: true });
  expect(inspectTree(root, UID, 40)).toMatchObject({ looked: 40, whole: false });
});

test('a directory that is deeper than a path can be is told of', () => {
  const { root } = createStoredSession();
  plantDeepTree(root);
  expect(oddities(root)).toEqual({ closed: { count: 1, first: expect.stringContaining(root) } });
});

testAsRoot('files and links of another user are told of', () => {
  const { root } = createStoredSession();
  const record = join(root, 'sessions', ID, 'session.json');
  chownSync(record, 65_534, 65_534);
  symlinkSync('x', join(root, 'link'));
  lchownSync(join(root, 'link'), 65_534, 65_534);
  expect(oddities(root)).toMatchObject({ foreign: { count: 2 }, special: { count: 1 } });
});

testAsRoot('a directory that is closed to us is told of, and what is beside it looked at', () => {
  const { root } = createStoredSession();
  const session = join(root, 'sessions', ID);
  execFileSync('chown', ['-R', '65534', join(root, '..')]);
  chmodSync(join(session, 'turns'), 0);
  chmodSync(join(session, 'session.json'), 0o606);
  process.seteuid?.(65_534);
  try {
    expect(Object.fromEntries(inspectTree(root, 65_534).odd)).toEqual({
      closed: { count: 1, first: join(session, 'turns') },
      writable: { count: 1, first: join(session, 'session.json') },
    });
  } finally {
    process.seteuid?.(0);
  }
});
