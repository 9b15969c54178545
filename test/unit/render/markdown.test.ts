import { expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/render/markdown/markdown.ts';
import { isOnlyMarks, withoutMarks } from '../../../src/render/markdown/without-marks.ts';
import { createStyle } from '../../../src/render/style.ts';
import { timesAsLong } from '../../helpers/cost.ts';
import { columnsOf, DRIVES, ONE_PATH, plain } from '../../helpers/display.ts';
import { anyText, fc, runs } from '../../helpers/fuzz.ts';
import { ATTACKS } from '../../helpers/hostile-output.ts';

const styleOf = (columns: number, env: Record<string, string> = { NO_COLOR: '1' }) =>
  createStyle(env, { isTTY: true, columns }, 0);
const shown = (text: string, columns = 80): string => [...renderMarkdown(text, styleOf(columns))].join('\n');
const painted = (text: string): string => [...renderMarkdown(text, styleOf(80, {}))].join('\n');

const ANSWER = `# What I did

The **total** is right now: the *price* is \`multiplied\`, see [cart.js](/shop/cart.js:12) and <https://a.b/c>.

1. Read the files
2. Changed the loop, which took a while
   - in \`cart.js\`

- [x] tests pass
- [ ] docs

> It is always right.

\`\`\`js
total += item.price * item.count;
\`\`\`

| File | Lines |
|------|------:|
| cart.js | 12 |
| 日本語.md | 7 |

---
![a diagram](x.png) and <b>html</b>, not ~~this~~
`;

test('an answer on a terminal of 80 columns', () => {
  expect(shown(ANSWER)).toBe(`# What I did

The total is right now: the price is \`multiplied\`, see cart.js
(/shop/cart.js:12) and https://a.b/c.

1. Read the files
2. Changed the loop, which took a while
   • in \`cart.js\`

✓ tests pass
☐ docs

│ It is always right.

  total += item.price * item.count;

File       Lines
─────────  ─────
cart.js       12
日本語.md      7

────────────────────────────────────────

a diagram and <b>html</b>, not ~~this~~`);
});

test('on one of 30 its lines go on below, behind what they belong to', () => {
  const wide = shown(ANSWER).split('\n');
  const lines = shown(ANSWER, 30).split('\n');
  expect(lines.filter((line) => !wide.includes(line)).join('\n')).toBe(`\
The total is right now: the
price is \`multiplied\`, see
cart.js (/shop/cart.js:12) and
https://a.b/c.
2. Changed the loop, which
   took a while
  total += item.price *
  item.count;
──────────────────────────────
a diagram and <b>html</b>, not
~~this~~`);
});

test('a patch in an answer has the colours of one', () => {
  const [context, gone, come] = painted('```diff\n a\n-b\n+c\n```').split('\n');
  expect([context, gone, come].map((line) => plain(line ?? ''))).toEqual(['   a', '  -b', '  +c']);
  expect(gone).toContain('\x1b[31m');
  expect(come).toContain('\x1b[32m');
});

test('on a wide terminal running text stays readable, code and tables take the room that they need', () => {
  const words = 'word '.repeat(40).trim();
  const text = `${words}\n\n\`\`\`\n${words}\n\`\`\`\n\n|a|\n|-|\n|${words}|`;
  const lines = [...renderMarkdown(text, styleOf(200))];
  expect(lines.map((line) => line.length)).toEqual([99, 99, 0, 196, 6, 0, 1, 199, 199]);
});

test('what is said in colours', () => {
  const text = '**a** *a* ~~a~~ `a` ***a*** [a](b)\n## a';
  expect(painted(text)).toBe(
    '\x1b[1ma\x1b[22m \x1b[3ma\x1b[23m \x1b[9ma\x1b[29m \x1b[36ma\x1b[39m ' +
      '\x1b[3m\x1b[1ma\x1b[22m\x1b[23m a\x1b[2m (b)\x1b[22m\n\n\x1b[1ma\x1b[22m',
  );
});

test.each<[string, string, string]>([
  ['line breaks that the agent made', '**Summary**\nIt works.', 'Summary\nIt works.'],
  ['a link to itself', '<https://a.b> https://c.d <me@a.b>', 'https://a.b https://c.d me@a.b'],
  ['an image without words', '![](a.png)', 'a.png'],
  ['references of HTML', '&lt;b&gt; &amp;amp; &#27;', '<b> &amp; \\x1b'],
  ['block HTML', '<details>\n**a**\n</details>', '<details>\n**a**\n</details>'],
  ['definitions of links', '[a]\n\n[a]: http://b', 'a (http://b)\n\n[a]: http://b'],
  ['a list that begins with 9', '9. a\n10. b', ' 9. a\n10. b'],
  ['an empty item', '-\n- a', '•\n• a'],
  ['code with its own indentation', '```\na\n\n  b\n```', '  a\n\n    b'],
  ['code that was never ended', '```sh\nls', '  ls'],
  ['words that are no language', '```so to say\nls\n```', '  so to say\n  ls'],
  ['a table without rows', '|a|b|\n|-|-|', 'a  b\n─  ─'],
  ['a table to the middle', '|abc|\n|:-:|\n|x|', 'abc\n───\n x'],
  ['nothing', ' \n', ''],
])('%s', (_, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test('a table whose columns do not fit is told cell by cell', () => {
  const row = '|one|two|three|\n|-|-|-|\n|aaaaaaaaaaaa|bbbbbbbbbbbb|cccccccccccc|\n';
  expect(shown(`${row}|d|e|f|`, 24)).toBe(
    'one: aaaaaaaaaaaa\ntwo: bbbbbbbbbbbb\nthree: cccccccccccc\n\none: d\ntwo: e\nthree: f',
  );
  expect(shown(row, 34)).toBe(
    'one         two         three\n──────────  ──────────  ──────────\naaaaaaaaaa  bbbbbbbbbb  cccccccccc\naa          bb          cc',
  );
});

test('no text in any place of a document drives the terminal', () => {
  for (const [what, attack] of Object.entries(ATTACKS)) {
    const line = attack.replaceAll('\n', ' ');
    const places = [
      attack,
      `# ${line}`,
      `- ${line}`,
      `> ${line}`,
      `**${line}** *${line}* ~~${line}~~ \`${line}\``,
      `[${line}](http://a) [a](<${line}>) ![${line}](b) <http://${line}>`,
      `\`\`\`${line}\n${attack}\n\`\`\``,
      `|${line}|\n|-|\n|${line}|`,
      `<b>${line}</b>`,
      `<p>\n${line}\n</p>`,
      `[a]: <${line}> "${line}"`,
      `${attack}${' word'.repeat(20_000)}`,
    ];
    for (const place of places) expect.soft(plain(painted(place)), what).not.toMatch(DRIVES);
  }
  // A reference may stand for any character.
  expect(plain(painted('[a](http://b&#27;]52;c;eA==&#7;)'))).not.toMatch(DRIVES);
});

test('pieces that stand side by side pile up no more marks than one may', () => {
  const piled = `a${`*${'\u0301'.repeat(8)}*${'\u0301'.repeat(8)}`.repeat(4)}`;
  expect(shown(piled)).not.toMatch(/\p{M}{9}/u);
});

test.each<[string, string]>([
  ['300 kB', 'some **words** and\n'.repeat(16_000)],
  ['a line of 300 kB', 'word '.repeat(60_000)],
  ['a word of 300 kB', 'x'.repeat(300_000)],
  ['ten thousand quotations in one another', '>'.repeat(10_000)],
  ['ten thousand lists on a line', '- '.repeat(10_000)],
  ['lists by indentation', Array.from({ length: 300 }, (_, i) => `${' '.repeat(2 * i)}- x`).join('\n')],
  ['ten thousand brackets', '['.repeat(10_000)],
  ['emphasis in emphasis', `${'*'.repeat(5000)}a${'*'.repeat(5000)}`],
  ['emphasis that never ends', '*a_'.repeat(20_000)],
  ['strange addresses', `${'a.'.repeat(30_000)}@`],
  ['lazy quotations', '> a\nb\n'.repeat(10_000)],
])(
  '%s: shown, within the width, and four times as much in not much more than four times the time',
  (_, text) => {
    const lines = [...renderMarkdown(text, styleOf(80))];
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) if (columnsOf(line) > 80) expect(line).toBe('at most 80 columns');
    expect(
      timesAsLong(
        () => shown(text.repeat(4)),
        () => shown(text),
      ),
    ).toBeLessThan(10);
  },
);

const listOf = (depth: number): string =>
  Array.from({ length: depth }, (_, i) => `${'  '.repeat(i)}- word`).join('\n');

test('however deep a list or a quotation, its lines fit, and one beyond reason is shown as it was written', () => {
  for (const text of [listOf(45), `${'>'.repeat(45)} ${'word '.repeat(20)}`, `${'- '.repeat(45)}word`]) {
    for (const line of renderMarkdown(text, styleOf(40))) expect.soft(line.length).toBeLessThanOrEqual(40);
    expect(shown(text, 40)).toMatch(/[•│]/);
  }
  expect(shown(listOf(60), 200)).toMatch(/^- word\n {2}- word\n/);
});

test('what would take the parser too long is shown as it was written: a document, or a paragraph of it', () => {
  const short = 'word **word**';
  expect(shown(`${short} ${'word '.repeat(12_000)}\n\n${short}`)).toMatch(/\*\*word\*\*[^*]*\n\nword word$/);
  expect(shown(`${short}\n\n${'*a* '.repeat(300)}`)).toMatch(/^word word\n\n\*a\* \*a\*/);
  expect(shown(`${short}\n\n${'word\n\n'.repeat(11_000)}`)).toMatch(/^word \*\*word\*\*\n/);
});

test.each([
  ['## Done', 'Done'],
  ['- `cart.js` is **right** now', 'cart.js is right now'],
  ['> a ** b ** c', 'a ** b ** c'],
  ['`a` and `b`', 'a and b'],
  ['| file | `line` |', 'file · line'],
  ['#1 is __init__.py, 2**3 and 4**5', '#1 is __init__.py, 2**3 and 4**5'],
  ['***a***', '***a***'],
  ['```a``` and b', '```a``` and b'],
  ['- -v is --verbose', '-v is --verbose'],
  ['', ''],
])('in a list %j is %j', (line, words) => {
  expect(withoutMarks(line)).toBe(words);
});

test('a line of marks alone says nothing by itself', () => {
  const lines = ['```js', '~~~', '| --- | :-: |', '---', ' ', '```a``` and b', '- a', '| a |', '-v'];
  expect(lines.filter(isOnlyMarks)).toEqual(['```js', '~~~', '| --- | :-: |', '---', ' ']);
});

const MARKS =
  '```,---,**,*,_,~~,`,[,](,),|,|-|,<b>,<!--,-->,&#27;,![,\\,http://a.b,日本,🎉,word,# ,- ,> ,1. ,- [x] , ,    ,\t,\n,\n\n,word ';
const markup = fc.constantFrom(...MARKS.split(','));

test('whatever is written: shown, inert, within the width, and no letter lost', () => {
  const document = fc.array(fc.oneof({ weight: 4, arbitrary: markup }, anyText), { maxLength: 40 });
  void fc.assert(
    fc.property(document, fc.integer({ min: 20, max: 120 }), (parts, columns) => {
      const text = parts.join('');
      const lines = [...renderMarkdown(text, styleOf(columns, {}))];
      for (const line of lines) {
        expect(plain(line)).not.toMatch(DRIVES);
        expect(plain(line)).not.toContain('\n');
        // Where the rough measure of the tests can be trusted.
        if (!ONE_PATH.test(plain(line)) && /^[\x20-\x7e日本🎉│•✓☐─…]*$/u.test(plain(line)))
          expect(columnsOf(line)).toBeLessThanOrEqual(columns);
      }
      const words = (some: string): number => some.replace(/[\s│]/g, '').match(/word/g)?.length ?? 0;
      // But for the name of a language.
      const said = text.replace(/(`{3,}|~{3,})[^\n]*/g, '');
      expect(words(plain(lines.join('')))).toBeGreaterThanOrEqual(words(said));
    }),
    runs(10),
  );
});
