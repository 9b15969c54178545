import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { cutToWidth, isNarrow, lineOf, widthOf } from '../../../src/render/text/width.ts';
import { textLines, wrapSpans } from '../../../src/render/text/wrap.ts';
import { timesAsLong } from '../../helpers/cost.ts';
import { columnsOf, ONE_PATH } from '../../helpers/display.ts';
import { anyText, fc } from '../../helpers/fuzz.ts';

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

test.each<[string, string, number, string[]]>([
  ['words', 'one two three', 8, ['one two', 'three']],
  ['words that fill it', 'one two', 7, ['one two']],
  ['a space where it is full', 'one two three', 7, ['one two', 'three']],
  ['many spaces where it breaks', 'one two     three', 7, ['one two', 'three']],
  ['its own line breaks', 'one\n\ntwo', 8, ['one', '', 'two']],
  ['its own indentation', '  one two', 6, ['  one', 'two']],
  ['a word that is longer', 'one abcdefghij', 4, ['one', 'abcd', 'efgh', 'ij']],
  ['an indented word that is longer', '  abcdef', 4, ['  ab', 'cdef']],
  ['a path that is longer', 'in /home/ann/shop/cart.js is', 8, ['in', '/home/ann/shop/cart.js', 'is']],
  ['a path with marks of its own', 'in Jose\u0301/Documents', 6, ['in', 'Jose\u0301/Documents']],
  ['an indented path that is longer', '  src/cart.js:3 is', 6, ['  src/cart.js:3', 'is']],
  ['a path with letters of any language', 'src/Übergröße.js', 6, ['src/Übergröße.js']],
  ['a path with a sign that could pose as a line of ours', 'a/bcd──turn', 4, ['a/bcd', '──tu', 'rn']],
  ['a path with what only looks like a space', 'a/bcdef\u00a0ghij', 4, ['a/bcdef', '\u00a0ghi', 'j']],
  ['a slash behind the end of the line', 'abcdef/gh', 4, ['abcd', 'ef/gh']],
  ['wide letters', '漢字漢字', 5, ['漢字', '漢字']],
  ['wide letters beside narrow ones', 'ab漢字cd', 4, ['ab漢', '字cd']],
  ['no full stop at the beginning', '漢字。漢', 4, ['漢', '字。', '漢']],
  ['letters with marks', 'e\u0301e\u0301e\u0301', 2, ['e\u0301e\u0301', 'e\u0301']],
  ['tabs', 'a\tb', 12, ['a       b']],
  ['nothing', '', 4, ['']],
])('a paragraph of %s', (_, text, columns, lines) => {
  expect([...textLines(text, columns)]).toEqual(lines);
});

test('what is taken for narrow takes one column, and joins nothing', () => {
  const segmenter = new Intl.Segmenter();
  for (let unit = 0x20; unit < 0xffff; unit += 1) {
    const character = String.fromCharCode(unit);
    if (!isNarrow(character)) continue;
    expect.soft(stringWidth(character), unit.toString(16)).toBe(1);
    expect.soft([...segmenter.segment(`a${character}a`)], unit.toString(16)).toHaveLength(3);
  }
});

test('a character has the width that the library knows which measures emoji by their names', () => {
  const joined = [
    '❤️',
    '1️⃣',
    '🇩🇪',
    '\u1100\u1161\u11a8',
    '\u1100\u1100',
    'ﾊﾞ',
    'नि',
    'กำ',
    'e\u0301',
    'x\u0600',
  ];
  const single = [0x20, 0xa8e0, 0xff00, 0x1f100].flatMap((from) =>
    Array.from({ length: from === 0x20 ? 0x3400 : 0xff }, (_, i) => String.fromCodePoint(from + i)),
  );
  expect([...joined, ...single].filter((text) => widthOf(text) !== stringWidth(text))).toEqual([]);
});

test('a long text is not taken apart within a character where it has spaces', () => {
  expect(widthOf(`${'1️⃣'.repeat(50)} `.repeat(3))).toBe(303);
});

test('a line of narrow characters is broken as any other is', () => {
  const word = fc.constantFrom(' ', '   ', 'a', 'word', 'é', '–', '“quoted”', 'x'.repeat(30), '/', 'b/c');
  const parts = fc.array(word, { maxLength: 30 });
  void fc.assert(
    fc.property(parts, fc.integer({ min: -1, max: 40 }), (words, columns) => {
      const text = words.join('');
      expect([...textLines(text, columns)]).toEqual(wrapSpans([{ text, paint: String }], columns));
    }),
  );
});

test('what is kept whole has an end', () => {
  const longest = (text: string) => Math.max(...Array.from(textLines(text, 80), (line) => line.length));
  expect(longest(`/${'a'.repeat(1000)}`)).toBe(1001);
  expect(longest(`/${'a'.repeat(5000)}`)).toBe(1024);
  expect(longest(`/${'a'.repeat(5000)}漢`)).toBe(1024);
  expect(longest(`{"path":"a/b","error":[${'1,'.repeat(100)}0]}`)).toBe(80);
});

test('nothing that is kept whole can pose as a line of zwarm', () => {
  // The first of these is a letter that joins whatever follows it, a space as well.
  const sign = fc.constantFrom('\u0d4e ', '\u0d4e─', ' ', '\u00a0', '─', '·', 'a', '/', 'é', 'e\u0301', '漢');
  void fc.assert(
    fc.property(fc.array(sign, { minLength: 20, maxLength: 60 }), (signs) => {
      for (const text of [signs.join(''), `/a${signs.join('')}`])
        for (const line of textLines(text, 12))
          if (columnsOf(line) > 12) expect(line).not.toMatch(/[ \u00a0─·]/);
    }),
  );
});

test('colours go on over a line break, and cost no columns', () => {
  const spans = [
    { text: 'one ', paint: (text: string) => text },
    { text: 'two three', paint: (text: string) => `<${text}>` },
    { text: 's', paint: (text: string) => text },
  ];
  expect(wrapSpans(spans, 7)).toEqual(['one <two>', '<three>s']);
});

test('a chain of joined emoji is broken like a word: terminals draw its parts', () => {
  // One character to the segmenter, and of a hundred columns.
  const lines = [...textLines('👩\u200d'.repeat(50), 20)];
  expect(lines.length).toBeGreaterThanOrEqual(5);
});

test('without a width only newlines end a line', () => {
  expect([...textLines(' a\tb  c\nd', Number.POSITIVE_INFINITY)]).toEqual([' a\tb  c', 'd']);
});

test('no line but a path is longer than asked for, and nothing but white space is lost', () => {
  const words = fc.array(fc.oneof(anyText, fc.constantFrom('漢字、漢字', '🎉', ' ', 'word')), {
    maxLength: 8,
  });
  void fc.assert(
    fc.property(words, fc.integer({ min: 12, max: 60 }), (parts, columns) => {
      const text = parts.join('').replace(/[^\p{L}\p{N}\p{P}\p{Zs}\n]/gu, '');
      const lines = [...textLines(text, columns)];
      for (const line of lines)
        if (!ONE_PATH.test(line)) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    }),
  );
});

test.each(['漢', '👩\u200d', '🇩'])(
  'a line of %j that is four times as long takes not much more than four times the time',
  (part) => {
    const wrapped = (length: number) => [...textLines(part.repeat(length / part.length), 80)];
    // Segmented as a whole, it would take sixteen times as long, and minutes for more.
    const times = timesAsLong(
      () => wrapped(60_000),
      () => wrapped(15_000),
    );
    expect(times).toBeLessThan(10);
    expect(wrapped(150_000).length).toBeGreaterThan(400);
  },
);
