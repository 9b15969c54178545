import { describe, expect, test } from 'vitest';
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

const fails = (code: string): unknown => expect.objectContaining({ code });

test('the alphabet has no look-alikes, no upper case and no letter twice', () => {
  expect(ID_ALPHABET).not.toMatch(/[01ilo]|[^a-z0-9]/);
  expect(new Set(ID_ALPHABET).size).toBe(ID_ALPHABET.length);
  expect(ID_ALPHABET).toHaveLength(31);
});

test('session ids and turn numbers are told from all other names', () => {
  expect(['abcdefghjk', 'z234567892'].every(isSessionId)).toBe(true);
  const bad = [
    '',
    'abcdefghj',
    'abcdefghjkm',
    '2bcdefghjk',
    'Abcdefghjk',
    'abcdefghj0',
    'abcdefghjl',
    'abcdefghj\n',
  ];
  expect([...bad, '.new-abcde', '../../../x', 'abcde/ghjk'].filter(isSessionId)).toEqual([]);
  expect(['1', '12', '9999999'].map(parseTurnNumber)).toEqual([1, 12, 9_999_999]);
  const noTurns = ['', '0', '01', '-1', '1.0', '1e3', ' 1', '1\n', '10000000', 'x', '.new-1', '١'];
  expect(noTurns.map(parseTurnNumber)).toEqual(noTurns.map(() => null));
});

test('names', () => {
  const good = ['a', 'fix-login', 'a.b_c-9', 'a'.repeat(41)];
  expect(good.map(parseName)).toEqual(good);
  for (const bad of ['', 'A', '1a', '-a', 'a b', 'a/b', 'é', 'a\n', 'a'.repeat(42)]) {
    expect(() => parseName(bad)).toThrow(fails('usage'));
  }
});

describe('a reference', () => {
  test.each([
    ['abcdefghjk', { kind: 'text', text: 'abcdefghjk' }],
    ['abc', { kind: 'text', text: 'abc' }],
    ['my.name', { kind: 'text', text: 'my.name' }],
    ['@last', { kind: 'last', back: 0 }],
    ['@last~1', { kind: 'last', back: 1 }],
    ['@last~9999', { kind: 'last', back: 9999 }],
  ])('%j', (text, expected) => {
    expect(parseRef(text)).toEqual(expected);
  });

  test.each([
    '',
    '../../etc',
    '..',
    '/etc/passwd',
    '.',
    '-rf',
    '--all',
    'abc\0def',
    'abc\n',
    'ABC',
    'a'.repeat(42),
    'x'.repeat(1_000_000),
    '@last~',
    '@last~-1',
    '@last~99999',
    '@last~1x',
    '@first',
    '\u202eabc',
    '*',
  ])('%j can name no session', (text) => {
    const error = expect(() => parseRef(text));
    error.toThrow(fails('usage'));
    // The message quotes what was given, but never all of a huge one, and never raw.
    error.toThrow(/^[^\0\n]{1,200}$/);
  });
});

describe('the beginning of an id', () => {
  const all = ['abcdefghjk', 'abcdzzzzzz', 'mnpqrstuvw'] as SessionId[];

  test('means the only one that begins so', () => {
    expect(matchPrefix('abcde', all, 3)).toBe('abcdefghjk');
    expect(matchPrefix('mnp', all, 3)).toBe('mnpqrstuvw');
  });

  test.each<[string, string, number, string, RegExp]>([
    ['too short', 'mn', 3, 'not_found', /too short/],
    ['too short for what cannot be undone', 'mnp', 4, 'not_found', /too short/],
    ['nobody', 'zzz', 3, 'not_found', /no session zzz/],
    ['short and nobody', 'z', 3, 'not_found', /no session z/],
    ['several', 'abcd', 3, 'ambiguous', /beginning of 2/],
  ])('%s', (_, text, minimum, code, message) => {
    expect(() => matchPrefix(text, all, minimum)).toThrow(fails(code));
    expect(() => matchPrefix(text, all, minimum)).toThrow(message);
  });

  test('candidates are listed for an ambiguous one', () => {
    expect(() => matchPrefix('abcd', all, 3)).toThrow(
      expect.objectContaining({ hint: 'type more of: abcdefghjk, abcdzzzzzz' }),
    );
  });
});

test('sessions of the same moment have an order, whatever order they are found in', () => {
  const twins = ['bbbbbbbbbb', 'aaaaaaaaaa'].map((id) => ({ id: id as SessionId, createdAt: 't' }));
  for (const found of [twins, twins.toReversed()])
    expect(found.toSorted(newestFirst)[0]?.id).toBe('aaaaaaaaaa');
});
