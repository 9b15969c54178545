import { expect, test } from 'vitest';
import { createMatcher, matchingLines, type Query } from '../../../src/core/search/matcher.ts';
import { prefilterOf } from '../../../src/core/search/prefilter.ts';

const found = (query: Query, text: string): string[] =>
  [...matchingLines(text, createMatcher(query))].map(({ line, match }) => `${match}: ${line}`);

test('a line is found that holds all words; without capitals any case matches', () => {
  const text = 'Fix the login\r\nthe LOGIN fails\nit is fixed';
  expect(found({ words: ['login', 'the'] }, text)).toEqual([
    'login: Fix the login',
    'LOGIN: the LOGIN fails',
  ]);
  expect(found({ words: ['LOGIN', 'the'] }, text)).toEqual(['LOGIN: the LOGIN fails']);
  expect(found({ words: ['the login'] }, text)).toHaveLength(2);
  expect(found({ words: ['.*'] }, text)).toEqual([]);
  expect(found({ words: ['the'], regex: '^\\S+ the' }, text)).toEqual(['the: Fix the login']);
  expect(found({ regex: '^fix|ED$' }, text)).toEqual([]);
  expect(found({ regex: '^fix|ed$' }, text)).toEqual(['Fix: Fix the login', 'ed: it is fixed']);
});

test('a long line is cut around what was found', () => {
  const [{ line, match } = { line: '', match: '' }] = matchingLines(
    `${'😀'.repeat(999)}here${'😀'.repeat(999)}`,
    createMatcher({ words: ['here'] }),
  );
  expect(match).toBe('here');
  expect(line).toMatch(/^…(😀)+here(😀)+…$/u);
  expect(line.length).toBeLessThanOrEqual(502);
});

test.each<[Query]>([[{}], [{ words: [''] }], [{ regex: '(' }]])('%j cannot be searched for', (query) => {
  expect(() => createMatcher(query)).toThrow(expect.objectContaining({ code: 'usage' }));
});

/** The bytes as the look at a file sees them. */
const latin = (text: string): string => Buffer.from(text).toString('latin1');
const passes = (query: Query, content: string) => {
  const patterns = prefilterOf(query)?.patterns;
  return patterns === undefined ? 'anything' : patterns.some((pattern) => pattern.test(latin(content)));
};

test.each<[string, Query, string, boolean | 'anything']>([
  ['the word', { words: ['login'] }, 'a LOGIN', true],
  ['the word is not there', { words: ['login'] }, 'log in', false],
  ['capitals count', { words: ['Login'] }, 'login', false],
  ['one letter as an escape', { words: ['login'] }, 'l\\u004Fgin', true],
  ['an escape of another letter', { words: ['login'] }, 'l\\u0061gin', false],
  ['only the longest word is looked for', { words: ['a', 'login'] }, 'login', true],
  ['a letter that has another capital', { words: ['ärger'] }, 'Ärger', true],
  ['letters that have no capital', { words: ['漢字'] }, '漢 字', false],
  ['the same as escapes', { words: ['漢字'] }, '\\u6f22\\u5b57', true],
  ['what JSON writes in another way', { words: ['"a/b"'] }, '\\"a\\/b\\"', true],
  ['nothing that is written in one way', { words: ['"'] }, '', 'anything'],
  ['a plain expression', { regex: 'login' }, 'logon', false],
  ['what may be left out', { regex: 'logins?' }, 'login', true],
  ['what is repeated', { regex: 'lo+gin' }, 'looogin', true],
  ['what may be missing at all', { regex: 'ab{0,2}c' }, 'ac', true],
  ['an escaped sign', { regex: 'v1\\.2\\.3' }, 'v1.2.4', false],
  ['a letter beyond ASCII that is the same to u', { regex: 'ok' }, 'o\u212a', true],
  ['a class', { regex: '[l|(]ogin' }, 'login', true],
  ['a sign of kelvin as an escape', { regex: 'ok' }, 'o\\u212A', true],
  ['a long s', { regex: 'sin' }, 'ſin', true],
  ['one of two alternatives', { regex: 'login|logoff' }, 'LOGOFF', true],
  ['none of two alternatives', { regex: 'login|logoff' }, 'log in', false],
  ['an alternative that is nothing', { regex: 'login|' }, '', 'anything'],
  ['an alternative within a group', { regex: '(login|logout)' }, '', 'anything'],
  ['the word beside short alternatives', { words: ['login'], regex: 'a|b' }, 'log in a', false],
  ['a group', { regex: '(login)?' }, '', 'anything'],
  ['a number of a character', { regex: '\\u0061bc' }, '', 'anything'],
])('before a file is parsed its bytes are looked at: %s', (_, query, content, expected) => {
  expect(passes(query, content)).toBe(expected);
});
