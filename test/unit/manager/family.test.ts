import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { descendantsOf } from '../../../src/manager/family.ts';
import { descentOf } from '../../../src/manager/origin.ts';
import { directoryMark } from '../../../src/store/locate.ts';
import { seal } from '../../../src/store/seals.ts';
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
    seal(seals, root, id(own), '', parent === undefined ? 'user' : `orchestrator:${id(parent)}`);
  }
  return { root, mark: directoryMark(root), sealsDir: seals, seenDir: seals, seen: null };
}

/** The letters of a session and those above it, with a `?` where they end too early. */
function above(store: ReturnType<typeof family>, one: string): string {
  const { links, complete } = descentOf(store, id(one));
  return links.map((link) => link.id.slice(-1)).join('') + (complete ? '' : '?');
}

test('who is above a session is known by the seals', () => {
  const store = family('a b<a c<b d');
  expect(['a', 'b', 'c', 'd'].map((one) => above(store, one))).toEqual(['a', 'ba', 'cba', 'd']);
  expect([...descendantsOf(store, id('a'))].sort()).toEqual([id('b'), id('c')]);
  // What an agent makes of its record changes nothing.
  writeFileSync(join(store.root, 'sessions', id('c'), 'session.json'), JSON.stringify(RECORD));
  expect(above(store, 'c')).toBe('cba');
});

test('above a session that is gone nobody knows', () => {
  const store = family('b<a c<b');
  expect(above(store, 'c')).toBe('cb?');
  expect(above(store, 'a')).toBe('?');
  expect([...descendantsOf(store, id('a'))].sort()).toEqual([id('b'), id('c')]);
});

test('planted circles end', () => {
  const store = family('a<c b<a c<b d<a s<s');
  expect(['a', 'd', 's'].map((one) => above(store, one))).toEqual(['acb?', 'dacb?', 's?']);
  expect([...descendantsOf(store, id('a'))].sort()).toEqual([id('b'), id('c'), id('d')]);
});
