import { expect, test } from 'vitest';
import {
  ID_ALPHABET,
  isSessionId,
  matchPrefix,
  newestFirst,
  parseName,
  parseRef,
  parseTurnNumber,
  type SessionId,
} from '../../../src/core/ids.ts';
import { isModelName } from '../../../src/core/model.ts';

const fails = (code: string): unknown => expect.objectContaining({ code });

test('the alphabet has no look-alikes, no upper case and no letter twice', () => {
  expect(ID_ALPHABET).not.toMatch(/[01ilo]|[^a-z0-9]/);
  expect(new Set(ID_ALPHABET).size).toBe(31);
});

test('session ids and turn numbers are told from all other names', () => {
  expect(['abcdefghjk', 'z234567892'].every(isSessionId)).toBe(true);
  const bad = ['', 'abcdefghj', 'abcdefghjkm', '2bcdefghjk', 'Abcdefghjk', 'abcdefghj0', 'abcdefghjl'];
  expect([...bad, 'abcdefghj\n', '.new-abcde', '../../../x', 'abcde/ghjk'].filter(isSessionId)).toEqual([]);
  expect(['1', '12', '9999999'].map(parseTurnNumber)).toEqual([1, 12, 9_999_999]);
  const noTurns = ['', '0', '01', '-1', '1.0', '1e3', ' 1', '1\n', '10000000', 'x', '.new-1', '١'];
  expect(noTurns.map(parseTurnNumber)).toEqual(noTurns.map(() => null));
});

test('names', () => {
  const good = ['a', 'fix-login', 'a.b_c-9', 'a'.repeat(41)];
  expect(good.map(parseName)).toEqual(good);
  for (const bad of ['', 'A', '1a', '-a', 'a b', 'a/b', 'é', 'a\n', 'a'.repeat(42), 'abcdefghjk']) {
    expect(() => parseName(bad)).toThrow(fails('usage'));
  }
});

test('names of models', () => {
  const good = ['gpt-5.5', 'o3', 'vendor/model:free', '@cf/some_model', 'x'.repeat(100)];
  const bad = ['', '-m', '--evil', 'a b', 'a\n', 'a"', '\u00e4', 'x'.repeat(101)];
  expect([...good, ...bad].filter(isModelName)).toEqual(good);
});

test('a reference is the text of an id or name, or a place among the newest', () => {
  const texts = ['abcdefghjk', 'abc', 'my.name'];
  expect(texts.map(parseRef)).toEqual(texts.map((text) => ({ kind: 'text', text })));
  const last = (back: number) => ({ kind: 'last', back });
  expect(['@last', '@last~1', '@last~9999'].map(parseRef)).toEqual([last(0), last(1), last(9999)]);
  const bad = '| ../../etc | .. | /etc/passwd | . | -rf | --all | abc\0def | abc\n | ABC | * | \u202eabc';
  const badPlaces = ['@last~', '@last~-1', '@last~99999', '@last~1x', '@first', 'a'.repeat(42)];
  for (const text of [...bad.split(/ ?\| ?/), ...badPlaces, 'x'.repeat(1_000_000)]) {
    expect(() => parseRef(text)).toThrow(fails('usage'));
    // The message quotes what was given, but never all of a huge one, and never raw.
    expect(() => parseRef(text)).toThrow(/^[^\0\n]{1,200}$/);
  }
});

const ALL = ['abcdefghjk', 'abcdzzzzzz', 'mnpqrstuvw'] as SessionId[];

test.each<[string, string, number, object]>([
  ['too short', 'mn', 3, { code: 'not_found', message: 'mn is too short' }],
  ['too short for what cannot be undone', 'mnp', 4, { code: 'not_found', message: 'mnp is too short' }],
  ['of nobody', 'zzz', 3, { code: 'not_found', message: 'no session zzz' }],
  ['short and of nobody', 'z', 3, { code: 'not_found', message: 'no session z' }],
  ['of several', 'abcd', 3, { code: 'ambiguous', hint: 'type more of: abcdefghjk, abcdzzzzzz' }],
])('a beginning that is %s is refused', (_, text, minimum, error) => {
  for (const ids of [ALL, ALL.toReversed()])
    expect(() => matchPrefix(text, ids, minimum)).toThrow(expect.objectContaining(error));
  expect([matchPrefix('abcde', ALL, 3), matchPrefix('mnp', ALL, 3)]).toEqual([ALL[0], ALL[2]]);
});

test('sessions of the same moment have an order, whatever order they are found in', () => {
  const twins = ['bbbbbbbbbb', 'aaaaaaaaaa'].map((id) => ({ id: id as SessionId, at: 't' }));
  for (const found of [twins, twins.toReversed()])
    expect(found.toSorted(newestFirst)[0]?.id).toBe('aaaaaaaaaa');
});
