import { describe, expect, test } from 'vitest';
import { renderJson } from '../../../src/render/json.ts';
import { safeLine, safeText } from '../../../src/render/safe-text.ts';

/** What an agent could print to do something to the terminal of whoever looks. */
const ATTACKS: readonly [string, string, string][] = [
  ['writes the clipboard (OSC 52)', '\x1b]52;c;cm0gLXJm\x07', '\\x1b]52;c;cm0gLXJm\\x07'],
  ['names the window', '\x1b]0;title\x1b\\', '\\x1b]0;title\\x1b\\'],
  [
    'makes a link that lies',
    '\x1b]8;;http://e\x1b\\x\x1b]8;;\x1b\\',
    '\\x1b]8;;http://e\\x1b\\x\\x1b]8;;\\x1b\\',
  ],
  ['clears the screen (CSI)', '\x1b[2J\x1b[H', '\\x1b[2J\\x1b[H'],
  ['colours what follows', '\x1b[31mred', '\\x1b[31mred'],
  ['asks the terminal to type an answer', '\x1b[c\x05', '\\x1b[c\\x05'],
  ['uses C1 for CSI', '\x9b31m', '\\x9b31m'],
  ['uses C1 for OSC', '\x9d0;x\x9c', '\\x9d0;x\\x9c'],
  ['draws over its line', 'rm -rf /\rls', 'rm -rf /\\x0dls'],
  ['draws over it letter by letter', 'a\b\bb', 'a\\x08\\x08b'],
  ['beeps and ends strings', '\x07\0\x7f', '\\x07\\x00\\x7f'],
  ['moves down a page', '\v\f', '\\x0b\\x0c'],
  ['shifts the alphabet', '\x0e\x0f', '\\x0e\\x0f'],
  ['turns the direction round', '\u202etxt.exe\u202c', '\\u202etxt.exe\\u202c'],
  ['isolates a direction', '\u2066a\u2069\u200f\u061c', '\\u2066a\\u2069\\u200f\\u061c'],
  ['breaks a line by other means', 'a\u2028b\u2029c\x85d', 'a\\u2028b\\u2029c\\x85d'],
  ['holds half a character', 'a\ud800b\udc00c', 'a\\ud800b\\udc00c'],
];

describe('text that', () => {
  test.each(ATTACKS)('%s is made visible', (_, attack, shown) => {
    expect(safeText(attack)).toBe(shown);
    expect(safeText(`before\n${attack}\tafter`)).toBe(`before\n${shown}\tafter`);
    // Made safe once is safe: doing it again changes nothing.
    expect(safeText(shown)).toBe(shown);
  });

  test('is harmless stays as it is', () => {
    const harmless = ' a\tb\n\nüñ 漢字 😀 👩‍👩‍👧 \u00a0 "quoted" \\x1b ';
    expect(safeText(harmless)).toBe(harmless);
    expect(safeText('dos\r\nlines\r\n')).toBe('dos\nlines\n');
  });
});

test('no code unit below a space but tab and newline survives, alone or between others', () => {
  for (let code = 0; code < 0x10000; code += 1) {
    const character = String.fromCharCode(code);
    const risky =
      (code < 0x20 && code !== 9 && code !== 10) ||
      (code >= 0x7f && code < 0xa0) ||
      [0x061c, 0x200e, 0x200f, 0x2028, 0x2029].includes(code) ||
      (code >= 0x202a && code <= 0x202e) ||
      (code >= 0x2066 && code <= 0x2069) ||
      (code >= 0xd800 && code <= 0xdfff);
    if (safeText(`a${character}b`).includes(character) === risky) expect({ code }).toBe('shown or kept');
  }
});

test('one line is one line', () => {
  expect(safeLine('  a\r\nb\t\tc\u2028d \v e\n')).toBe('a b c d e');
  expect(safeLine('\x1b[2J')).toBe('\\x1b[2J');
  expect(safeLine(' \n\t ')).toBe('');
  for (const [, attack] of ATTACKS) expect(safeLine(attack)).not.toMatch(/[\n\t\r\x1b]/);
});

test('JSON is inert on a terminal and parses to the very same value', () => {
  const value = {
    attacks: ATTACKS.map(([, attack]) => attack),
    [ATTACKS.map(([, attack]) => attack).join('')]: 'a key',
    nothing: null,
    numbers: [0, -1, 1.5, 1e21],
    emoji: '😀漢',
    backslashes: '\\u001b \\x1b \\\\',
    empty: ['', [], {}],
  };
  const text = renderJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toContain('😀漢');
  expect(text.endsWith('}\n')).toBe(true);
  expect(safeText(text)).toBe(text);
  expect(text).not.toContain('\t');
});
