import { rmSync } from 'node:fs';
import { join } from 'node:path';
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

const letterOf = (known: SessionId): string => known.slice(-1);

/** Each session with those above it that are there, a `?` where the last one is not; and who is below `a`. */
function relatives(text: string, ...asked: string[]): string {
  const store = family(text);
  const above = asked.map((one) => {
    const { ids, sources, complete } = ancestryOf({ store, id: id(one) });
    return ids.slice(0, sources.length).map(letterOf).join('') + (complete ? '' : '?');
  });
  const below = [...descendantsOf({ store, id: id('a') })].map(letterOf).sort();
  return `${above.join(' ')} | ${below.join('')}`;
}

test('who is above and below a session is known by the records', () => {
  expect(relatives('a b<a c<b d', 'a', 'b', 'c', 'd')).toBe('a ba cba d | bc');
  // Above one that is gone nobody knows.
  expect(relatives('b<a c<b', 'c', 'a')).toBe('cb? ? | bc');
  // They name one another in a circle.
  expect(relatives('a<c b<a c<b d<a s<s', 'a', 'd', 's')).toBe('acb? dacb? s? | bcd');
});

test('a parent that is no id leads nowhere', () => {
  const store = family('a b<a');
  for (const parent of ['', '..', `../sessions/${id('b')}`, id('b').toUpperCase()]) {
    addSession(store, id('p'), { record: { parent: parent as SessionId } });
    expect(ancestryOf({ store, id: id('p') })).toEqual({ ids: [id('p')], sources: ['cli'], complete: true });
    rmSync(join(store.root, 'sessions', id('p')), { recursive: true });
  }
});
