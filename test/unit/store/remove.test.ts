import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeDebris, removeSession, treeBytes } from '../../../src/store/remove.ts';
import { hasSession, listSessionIds } from '../../../src/store/sessions.ts';
import { createPlaces, createStoredSession, ID } from '../../helpers/store.ts';

test('a session goes with its seal, and the bytes that it held are counted', () => {
  const { root, seals } = createStoredSession();
  const before = treeBytes(join(root, 'sessions', ID));
  writeFileSync(join(root, 'sessions', ID, 'turns', '1', 'events.jsonl'), 'x'.repeat(1000));
  expect(removeSession(root, seals, ID, 'n')).toBe(before + 1000);
  expect(hasSession(root, ID)).toBe(false);
  expect(readdirSync(join(root, 'trash'))).toEqual([]);
  expect(readdirSync(seals).flatMap((name) => readdirSync(join(seals, name)))).toEqual([]);
  expect(() => removeSession(root, seals, ID, 'n')).toThrow(/ENOENT/);
});

test('links in a session are removed, not followed, and what they lead to is not counted', () => {
  const { root, seals } = createStoredSession();
  const outside = join(root, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'x'.repeat(5000));
  const before = treeBytes(join(root, 'sessions', ID));
  symlinkSync(outside, join(root, 'sessions', ID, 'to-directory'));
  symlinkSync(join(outside, 'precious'), join(root, 'sessions', ID, 'to-file'));
  symlinkSync('/no/where', join(root, 'sessions', ID, 'to-nowhere'));
  expect(removeSession(root, seals, ID, 'n')).toBe(before);
  expect(readdirSync(outside)).toEqual(['precious']);
});

test.each<[string, (path: string, outside: string) => void, number]>([
  ['a file', (path) => writeFileSync(path, '12345'), 5],
  ['a link to a directory', (path, outside) => symlinkSync(outside, path), 0],
  ['a link to nothing', (path) => symlinkSync('/no/where', path), 0],
])('%s in the place of a session can be removed', (_, plant, bytes) => {
  const { root, seals } = createPlaces();
  const outside = join(root, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'x');
  mkdirSync(join(root, 'sessions'));
  plant(join(root, 'sessions', ID), outside);
  expect(listSessionIds(root)).toEqual([ID]);
  expect(removeSession(root, seals, ID, 'n')).toBe(bytes);
  expect(listSessionIds(root)).toEqual([]);
  expect(readdirSync(outside)).toEqual(['precious']);
});

test('only debris is swept: hidden or in the trash, and more than an hour old', () => {
  const { root } = createStoredSession();
  const now = Date.now();
  const make = (path: string, ageMinutes: number): string => {
    mkdirSync(path, { recursive: true });
    const time = new Date(now - ageMinutes * 60_000);
    utimesSync(path, time, time);
    return path;
  };
  const gone = [make(join(root, 'sessions', '.new-old'), 61), make(join(root, 'trash', 'old.x'), 61)];
  const kept = [make(join(root, 'sessions', '.new-young'), 59), make(join(root, 'trash', 'young.x'), 59)];
  kept.push(make(join(root, 'sessions', 'mnpqrstuvw'), 9999), make(join(root, 'sessions', '.other'), 9999));
  removeDebris(root, now);
  expect(gone.filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
});

test('a link as debris is removed by its own age, also one that leads nowhere', () => {
  const { root } = createStoredSession();
  const target = join(root, '..', 'target');
  mkdirSync(target);
  const links = [join(root, 'sessions', '.new-link'), join(root, 'sessions', '.new-dangling')];
  symlinkSync(target, links[0] ?? '');
  symlinkSync('/no/where', links[1] ?? '');
  removeDebris(root, Date.now() + 2 * 3_600_000);
  expect(links.filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)).toEqual([]);
  expect(existsSync(target)).toBe(true);
});

test('nothing is swept through a link in the place of the sessions or the trash', () => {
  const { root } = createPlaces();
  const outside = join(root, '..', 'outside');
  mkdirSync(join(outside, '.new-precious'), { recursive: true });
  symlinkSync(outside, join(root, 'sessions'));
  symlinkSync(outside, join(root, 'trash'));
  removeDebris(root, Date.now() + 9e9);
  expect(readdirSync(outside)).toEqual(['.new-precious']);
});
