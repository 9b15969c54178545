import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeSession, treeBytes } from '../../../src/store/remove.ts';
import { hasSession, listSessionIds } from '../../../src/store/sessions.ts';
import { createEmptyStore, createStoredSession, ID, sessionIn } from '../../helpers/store.ts';

test('a session goes with its name, and the bytes that it held are counted', () => {
  const { root } = createStoredSession('docs');
  const before = treeBytes(join(root, 'sessions', ID));
  writeFileSync(join(root, 'sessions', ID, 'turns', '1', 'events.jsonl'), 'x'.repeat(1000));
  expect(removeSession(sessionIn(root), 'docs', 'n')).toBe(before + 1000);
  expect(hasSession(sessionIn(root))).toBe(false);
  for (const emptied of ['trash', 'names']) expect(readdirSync(join(root, emptied))).toEqual([]);
  expect(() => removeSession(sessionIn(root), null, 'n')).toThrow(/ENOENT/);
});

test('links in a session are removed, not followed, and what they lead to is not counted', () => {
  const { root } = createStoredSession();
  const outside = join(root, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'x'.repeat(5000));
  const before = treeBytes(join(root, 'sessions', ID));
  symlinkSync(outside, join(root, 'sessions', ID, 'to-directory'));
  symlinkSync(join(outside, 'precious'), join(root, 'sessions', ID, 'to-file'));
  symlinkSync('/no/where', join(root, 'sessions', ID, 'to-nowhere'));
  expect(removeSession(sessionIn(root), null, 'n')).toBe(before);
  expect(readdirSync(outside)).toEqual(['precious']);
});

test.each<[string, (path: string, outside: string) => void, number]>([
  ['a file', (path) => writeFileSync(path, '12345'), 5],
  ['a link to a directory', (path, outside) => symlinkSync(outside, path), 0],
  ['a link to nothing', (path) => symlinkSync('/no/where', path), 0],
])('%s in the place of a session can be removed', (_, plant, bytes) => {
  const { root } = createEmptyStore();
  const outside = join(root, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'x');
  plant(join(root, 'sessions', ID), outside);
  expect(listSessionIds(root)).toEqual([ID]);
  expect(removeSession(sessionIn(root), null, 'n')).toBe(bytes);
  expect(listSessionIds(root)).toEqual([]);
  expect(readdirSync(outside)).toEqual(['precious']);
});
