import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { depthOf, descendantsOf, isDescendant } from '../../../src/manager/family.ts';
import { createStoredSession, RECORD } from '../../helpers/store.ts';

const id = (letter: string): SessionId => `famkyn${letter.repeat(4)}` as SessionId;

/** A store with sessions as written: `a`, `b<a`. */
function family(text: string) {
  const { root, seals } = createStoredSession();
  for (const word of text.split(' ')) {
    const [own = '', parent] = word.split('<');
    const directory = join(root, 'sessions', id(own));
    mkdirSync(directory);
    const record = { ...RECORD, parent: parent === undefined ? null : id(parent) };
    writeFileSync(join(directory, 'session.json'), JSON.stringify(record));
  }
  return { root, sealsDir: seals, seenDir: seals, seen: null };
}

test('depth and descent are counted through the records', () => {
  const store = family('a b<a c<b d');
  expect(['a', 'b', 'c', 'd'].map((one) => depthOf(store, id(one)))).toEqual([0, 1, 2, 0]);
  expect(isDescendant(store, id('c'), id('a'))).toBe(true);
  expect(isDescendant(store, id('a'), id('c'))).toBe(false);
  expect(isDescendant(store, id('a'), id('a'))).toBe(false);
  expect([...descendantsOf(store, id('a'))].sort()).toEqual([id('b'), id('c')]);
});

test('a parent that was removed counts as one', () => {
  const store = family('b<a c<b');
  expect(depthOf(store, id('c'))).toBe(2);
  expect(isDescendant(store, id('c'), id('a'))).toBe(true);
  expect([...descendantsOf(store, id('a'))].sort()).toEqual([id('b'), id('c')]);
});

test('planted circles end', () => {
  const store = family('a<c b<a c<b d<a s<s');
  expect(depthOf(store, id('a'))).toBe(2);
  expect(depthOf(store, id('d'))).toBe(3);
  expect(depthOf(store, id('s'))).toBe(0);
  expect(isDescendant(store, id('a'), id('s'))).toBe(false);
  expect([...descendantsOf(store, id('a'))].sort()).toEqual([id('b'), id('c'), id('d')]);
});
