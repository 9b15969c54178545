import { expect, test } from 'vitest';
import { renderJson, renderJsonAsRead } from '../../../src/render/json.ts';
import { safeLine, safeText } from '../../../src/render/text/safe-text.ts';
import { DRIVES } from '../../helpers/display.ts';
import { anyJson, anyText, fc, runs } from '../../helpers/fuzz.ts';

/** What an agent could print to do something to the terminal of whoever looks. */
const ATTACKS: readonly [string, string, string][] = [
  ['writes the clipboard', '\x1b]52;c;cm0g\x07\x1b]8;;h\x1b\\', '\\x1b]52;c;cm0g\\x07\\x1b]8;;h\\x1b\\'],
  ['clears the screen and asks who it is', '\x1b[2J\x9b31m\x1b[c\x05', '\\x1b[2J\\x9b31m\\x1b[c\\x05'],
  ['moves within its line and page', 'rm -rf /\rls\v\f\0\x7f', 'rm -rf /\\x0dls\\x0b\\x0c\\x00\\x7f'],
  ['turns the direction round', '\u202ea\u202c\u2066\u200f\u061c', '\\u202ea\\u202c\\u2066\\u200f\\u061c'],
  ['breaks a line by other means', 'a\u2028b\u2029c\x85d', 'a\\u2028b\\u2029c\\x85d'],
  ['holds half a character', 'a\ud800b\udc00c', 'a\\ud800b\\udc00c'],
  ['hides in a word', 'pay\u200bpal\u00ad\ufeff\u2060\u3164', 'pay\\u200bpal\\xad\\ufeff\\u2060\\u3164'],
  ['joins what is no emoji', 'a\u200db\u200cc \u200d😀', 'a\\u200db\\u200cc \\u200d😀'],
  ['selects a form of what has none', 'a\ufe0f1\ufe0f2😀\ufe0f\ufe0f', 'a\\ufe0f1\\ufe0f2😀\ufe0f\\ufe0f'],
  ['hides words', 'x\u{e0041}\u{e007f}\u{e0100}', 'x\\u{e0041}\\u{e007f}\\u{e0100}'],
  ['draws over other lines', `e${'\u0301'.repeat(10)}`, `e${'\u0301'.repeat(8)}\\u0301\\u0301`],
];

const HARMLESS = [
  ' a\tb\n\nüñ 漢字 \u00a0 "quoted" \\x1b ',
  'e\u0301 Việt ไม่ हिन्दी עִבְרִית ཀྵྨླྀ',
  // Emoji: joined, with a tone of skin, asked for by a selector, keys, flags of two letters.
  '😀 👩‍👩‍👧 👩🏽‍❤️‍💋‍👨🏿 🏳️‍🌈 🏃‍♂️ 👁️‍🗨️ ❤️ ⚠️ ✅ 1️⃣ #️⃣ 🇩🇪',
];

test.each(ATTACKS)('text that %s is made visible', (_, attack, shown) => {
  expect(safeText(`before\n${attack}\tafter`)).toBe(`before\n${shown}\tafter`);
  expect(safeText(shown)).toBe(shown);
});

test('harmless text stays as it is', () => {
  for (const harmless of HARMLESS) {
    expect(safeText(harmless)).toBe(harmless);
    expect(renderJson(harmless)).toBe(`${JSON.stringify(harmless)}\n`);
  }
  expect(safeText('dos\r\nlines\r\n')).toBe('dos\nlines\n');
});

test('no character that drives a terminal or that nobody sees survives, alone or between others', () => {
  for (let code = 0; code <= 0xe0fff; code = code === 0x1ffff ? 0xe0000 : code + 1) {
    const character = String.fromCodePoint(code);
    // The joiner and the selector that emoji are made of are no part of an emoji here.
    const risky =
      DRIVES.test(character) || code === 0x200d || code === 0xfe0f || /\p{Bidi_Control}/u.test(character);
    const invisible = /\p{Default_Ignorable_Code_Point}/u.test(character);
    if (safeText(`a${character}b`).includes(character) === (risky || invisible)) {
      expect({ code: code.toString(16) }).toBe('shown or kept');
    }
  }
});

test('what takes the short way for ordinary text would come out of the long one the same', () => {
  // Beyond 16 bits a character is two units, of which none takes the short way.
  const wide = Array.from({ length: 0x400 }, (_, block) =>
    String.fromCodePoint(...Array.from({ length: 0x400 }, (__, i) => 0x10000 + block * 0x400 + i)),
  );
  const narrow = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  for (const characters of [...narrow, ...wide]) {
    const text = `a${characters}b`;
    // A bell sends all of the text the long way.
    if (`${safeText(text)}\\x07` !== safeText(`${text}\x07`)) expect.fail(JSON.stringify(characters));
  }
});

test('one line is one line, and white space in it is what it is in any expression', () => {
  for (const [, attack] of ATTACKS) expect(safeLine(attack)).not.toMatch(/[\n\t\r\x1b]/);
  const parts = [' ', '\n', '\t', '\u00a0', '\u2003', 'a'];
  const texts = [''];
  for (const text of texts) if (text.length < 5) texts.push(...parts.map((part) => text + part));
  expect(texts.length).toBeGreaterThan(9000);
  for (const text of texts) {
    const plain = text.replace(/\s+/g, ' ').trim();
    if (safeLine(text) !== plain) expect(safeLine(text), JSON.stringify(text)).toBe(plain);
  }
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
    trap: JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
  };
  const text = renderJson(value);
  expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(value));
  expect(text).toMatch(/😀漢[^\t]*\}\n$/);
  expect(safeText(text)).toBe(text);
});

// Not a number: such fields come first in every object.
const anyKey = anyText.map((text) => `k${text}`);

test('a document that is written as its list is read is the one of plain data', () => {
  void fc.assert(
    fc.property(fc.array(anyJson), fc.dictionary(anyKey, anyJson), (items, rest) => {
      let read = 0;
      function* oneByOne(): Generator<unknown> {
        for (const item of items) {
          read += 1;
          yield item;
        }
      }
      const pieces = renderJsonAsRead('items', oneByOne(), () => ({ ...rest, read }));
      const document = [...pieces].join('');
      expect(document).toBe(renderJson({ items, ...rest, read: items.length }));
    }),
    runs(5),
  );
});

test('of a document each item is written before the next one is asked for', () => {
  const asked: number[] = [];
  function* items(): Generator<string> {
    for (const n of [1, 2]) {
      asked.push(n);
      yield `item ${n}`;
    }
  }
  let written = '';
  for (const piece of renderJsonAsRead('items', items(), () => ({ end: true }))) {
    written += piece;
    if (written.includes('item 1') && !written.includes('item 2')) expect(asked).toEqual([1]);
  }
  expect(JSON.parse(written)).toEqual({ items: ['item 1', 'item 2'], end: true });
});

// What makes a careless pattern or a careless measuring of text take minutes for a megabyte.
const CHARACTERS = [...' \n\r\t\u0301\u200d\ufe0f\ud800漢\u1100🇩'];

test.each([...CHARACTERS, 'a ', '\x1b[', '\x1b]', '😀\u200d'])('150,000 times %j is no trouble', (part) => {
  const text = `x${part.repeat(150_000)}y`;
  expect(safeText(text)).not.toMatch(DRIVES);
  expect(safeLine(text)).not.toMatch(/[\n\t]/);
  expect(JSON.parse(renderJson(text))).toBe(text);
});
