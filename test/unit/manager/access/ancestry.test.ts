import { expect, test } from 'vitest';
import type { SessionId } from '../../../../src/core/ids.ts';
import { ancestryOf, descendantsOf } from '../../../../src/manager/access/ancestry.ts';
import { addSession, createEmptyStore } from '../../../helpers/store.ts';

const id = (letter: string): SessionId => `famkyn${letter.repeat(4)}` as SessionId;

/** A store with sessions as written: `a`, `b<a`. */
function family(text: string) {
  const store = createEmptyStore();
  for (const word of text.split(' ')) {
    const [own = '', parent] = word.split('<');
    addSession(store, id(own), {
      record: parent === undefined ? {} : { source: `orchestrator:${id(parent)}`, parent: id(parent) },
    });
  }
  return store;
}

/** The letters of a session and those above it that are there, with a `?` where the last one is not. */
function above(store: ReturnType<typeof family>, one: string): string {
  const { ids, sources, complete } = ancestryOf({ store, id: id(one) });
  const known = ids.slice(0, sources.length).map((known) => known.slice(-1));
  return known.join('') + (complete ? '' : '?');
}

test('who is above a session is known by the records', () => {
  const store = family('a b<a c<b d');
  expect(['a', 'b', 'c', 'd'].map((one) => above(store, one))).toEqual(['a', 'ba', 'cba', 'd']);
  expect([...descendantsOf({ store, id: id('a') })].sort()).toEqual([id('b'), id('c')]);
});

test('above a session that is gone nobody knows', () => {
  const store = family('b<a c<b');
  expect(above(store, 'c')).toBe('cb?');
  expect(above(store, 'a')).toBe('?');
  expect([...descendantsOf({ store, id: id('a') })].sort()).toEqual([id('b'), id('c')]);
});

test('records that name one another in a circle end', () => {
  const store = family('a<c b<a c<b d<a s<s');
  expect(['a', 'd', 's'].map((one) => above(store, one))).toEqual(['acb?', 'dacb?', 's?']);
  expect([...descendantsOf({ store, id: id('a') })].sort()).toEqual([id('b'), id('c'), id('d')]);
});
