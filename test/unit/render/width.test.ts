import { expect, test } from 'vitest';
import { cutToWidth, lineOf } from '../../../src/render/width.ts';

test.each<[string, string, number, string]>([
  ['shorter than the line', 'abc', 5, 'abc'],
  ['as long as the line', 'abcde', 5, 'abcde'],
  ['longer', 'abcdef', 5, 'abcd…'],
  ['cut at a space', 'abc def', 5, 'abc…'],
  ['of wide letters', '漢字漢字', 5, '漢字…'],
  ['of wide letters, one column short', '漢字漢字', 4, '漢…'],
  ['of wide letters that fit', '漢字', 4, '漢字'],
  ['of letters with marks', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  // Terminals that do not know a joined emoji draw each of its parts.
  ['of a joined emoji that fits in any case', '👩‍👩‍👧', 6, '👩‍👩‍👧'],
  ['of one that might not', '👩‍👩‍👧', 5, '…'],
  ['of an emoji with a tone of skin', '👋🏽👋🏽', 5, '👋🏽…'],
  ['of nothing', '', 5, ''],
])('a line %s', (_, text, columns, cut) => {
  expect(cutToWidth(text, columns)).toBe(cut);
});

test.each<[string, string, number, string]>([
  ['several lines and tabs', ' a\n\n\tb ', 9, 'a b'],
  ['an escape sequence', '\x1b[2J', 9, '\\x1b[2J'],
  ['an escape sequence that does not fit', '\x1b[2J!', 7, '\\x1b[2…'],
  ['something that goes on behind white space', `a${' '.repeat(5000)}b`, 9, 'a…'],
  ['nothing but white space', ' '.repeat(5000), 9, '…'],
  ['half an emoji where it is cut', `${' '.repeat(9 * 16 - 1)}😀`, 9, '…'],
])('one line of %s', (_, text, columns, line) => {
  expect(lineOf(text, columns)).toBe(line);
});

const CHARACTERS = [...' \n\rx\u0301\u200d\ufe0f\ud800漢\u1100🇩'];

test.each([...CHARACTERS, '\x1b]', '👩\u200d'])(
  'of four million %j no more than a line is looked at',
  (part) => {
    const text = `x${part.repeat(4_000_000)}y`;
    // Measured as a whole, some of these would take hours.
    expect(lineOf(text, 80).length).toBeLessThan(80 * 16);
    expect(cutToWidth(text, 80).endsWith('…')).toBe(true);
  },
);
