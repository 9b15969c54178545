import { describe, expect, test } from 'vitest';
import {
  type Candidate,
  ID_ALPHABET,
  isSessionId,
  parseName,
  parseRef,
  parseTurnNumber,
  resolveRef,
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

describe('what a reference means', () => {
  const session = (id: string, createdAt: string, name: string | null = null): Candidate => ({
    id: id as SessionId,
    name,
    createdAt,
  });
  const all = [
    session('abcdefghjk', '2026-01-01T00:00:00.000Z', 'fix'),
    session('abcdzzzzzz', '2026-01-03T00:00:00.000Z', 'twice'),
    session('qqqqqqqqqq', '2024-01-01T00:00:00.000Z', 'twice'),
    session('mnpqrstuvw', '2026-01-02T00:00:00.000Z', 'abcdefghjk'),
    session('fixaaaaaaa', '2025-01-01T00:00:00.000Z'),
  ];
  const resolve = (text: string, minimum = 3): string => resolveRef(parseRef(text), all, minimum);

  test.each([
    ['an exact id, before a name that looks the same', 'abcdefghjk', 'abcdefghjk'],
    ['an exact name, before a prefix', 'fix', 'abcdefghjk'],
    ['a unique prefix', 'abcde', 'abcdefghjk'],
    ['a prefix of 3', 'mnp', 'mnpqrstuvw'],
    ['the newest', '@last', 'abcdzzzzzz'],
    ['the one before it', '@last~1', 'mnpqrstuvw'],
    ['the oldest', '@last~4', 'qqqqqqqqqq'],
  ])('%s', (_, text, expected) => {
    expect(resolve(text)).toBe(expected);
  });

  test.each<[string, string, number, string, RegExp]>([
    ['too short', 'mn', 3, 'not_found', /too short/],
    ['too short for what cannot be undone', 'mnp', 4, 'not_found', /too short/],
    ['nobody', 'zzz', 3, 'not_found', /no session zzz/],
    ['short and nobody', 'z', 3, 'not_found', /no session z/],
    ['several', 'abcd', 3, 'ambiguous', /beginning of 2/],
    ['a name that two bear', 'twice', 3, 'ambiguous', /2 sessions bear the name/],
    ['before the oldest', '@last~5', 3, 'not_found', /5 sessions/],
  ])('%s', (_, text, minimum, code, message) => {
    expect(() => resolve(text, minimum)).toThrow(fails(code));
    expect(() => resolve(text, minimum)).toThrow(message);
  });

  test('candidates are listed for an ambiguous one, the newest first', () => {
    expect(() => resolve('abcd')).toThrow(
      expect.objectContaining({ hint: 'type more of: abcdzzzzzz, abcdefghjk' }),
    );
  });

  test('sessions of the same moment have an order, whatever order they are found in', () => {
    const twins = [session('bbbbbbbbbb', 't'), session('aaaaaaaaaa', 't')];
    for (const found of [twins, twins.toReversed()]) {
      expect(resolveRef({ kind: 'last', back: 0 }, found, 3)).toBe('aaaaaaaaaa');
    }
  });
});
