import { expect, test } from 'vitest';
import { renderStep } from '../../../src/render/steps.ts';
import { createStyle } from '../../../src/render/style.ts';
import { toAscii } from '../../../src/render/text/ascii.ts';
import { hasHyperlinks, linkTo } from '../../../src/render/text/link.ts';
import { speaksUtf8 } from '../../../src/render/text/locale.ts';

test('the first variable of the locale that is set says whether a terminal has UTF-8', () => {
  const locales: readonly [Record<string, string>, boolean][] = [
    [{ LANG: 'C.UTF-8' }, true],
    [{ LANG: 'de_DE.utf8', LC_CTYPE: '', LC_ALL: '' }, true],
    [{ LANG: 'C.UTF-8', LC_CTYPE: 'POSIX' }, false],
    [{ LC_CTYPE: 'en_US.UTF-8', LC_ALL: 'C' }, false],
    [{ LANG: 'en_US.ISO-8859-1' }, false],
    [{ LANG: 'en_US' }, false],
  ];
  for (const [env, utf8] of locales)
    for (const unset of [true, false]) expect([env, speaksUtf8(env, unset)]).toEqual([env, utf8]);
  expect([true, false].map((unset) => speaksUtf8({}, unset))).toEqual([true, false]);
});

test.each<[string, string, string]>([
  ['a line of our own', '── turn 1 · completed ──', '-- turn 1 - completed --'],
  ['the rest of them', '│ └ ├ • ✓ ✗ ☐ » ± – …', '| ` | * v x o > ~ - ~'],
  ['colours', '\x1b[32m✓\x1b[39m\n', '\x1b[32mv\x1b[39m\n'],
  ['any other letter', 'naïve “quoted”', 'na?ve "quoted"'],
  ['wide letters, which take two columns', '漢字', '????'],
  ['a mark, which takes no column', 'e\u0301a', 'ea'],
  ['a joined emoji, of which terminals draw each part', '👩‍👩‍👧', '??????'],
])('in ASCII: %s', (_, text, ascii) => {
  expect(toAscii(text)).toBe(ascii);
});

const style = { ...createStyle({}, { isTTY: true, columns: 30 }, 0), linkHost: 'here' };

test('a link leads to the whole path, and nothing in a path can end it', () => {
  const link = (path: string, directory: string | null = '/w') => linkTo(path, directory, style)('x');
  const to = (url: string): string => `\x1b]8;;${url}\x1b\\x\x1b]8;;\x1b\\`;
  expect(link('/a/b.ts')).toBe(to('file://here/a/b.ts'));
  expect(link('b.ts', '/w/with space')).toBe(to('file://here/w/with%20space/b.ts'));
  expect(link('/a\x1b\\\x07?#%\ud800ü')).toBe(to('file://here/a%1B%5C%07%3F%23%25%EF%BF%BD%C3%BC'));
  expect(link('b.ts', null)).toBe('x');
  expect(linkTo('/a', null, { ...style, linkHost: null })('x')).toBe('x');
});

test('the width of a line does not count its link, and a name that is broken is two links', () => {
  const change = { path: `/w/${'long '.repeat(6)}name`, kind: 'add' } as const;
  const step = { type: 'file_change', changes: [change], status: 'completed' } as const;
  const text = renderStep(step, style, { full: true, directory: '/w' });
  expect(text.replace(/\x1b\]8;;[^\x1b]*\x1b\\/g, '<').replace(/\x1b\[\d+m/g, '')).toBe(
    '  add    <long long long long<\n         <long long name<',
  );
});

test('terminals with hyperlinks are known by their variables', () => {
  for (const env of [
    { TERM_PROGRAM: 'iTerm.app' },
    { TERM: 'xterm-kitty' },
    { VTE_VERSION: '7600' },
    { WT_SESSION: 'x' },
    { FORCE_HYPERLINK: '1' },
  ])
    expect([env, hasHyperlinks(env)]).toEqual([env, true]);
  for (const env of [
    {},
    { TERM: 'xterm-256color' },
    { VTE_VERSION: '4900' },
    { FORCE_HYPERLINK: '0', WT_SESSION: 'x' },
  ])
    expect([env, hasHyperlinks(env)]).toEqual([env, false]);
});
