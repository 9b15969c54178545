import { expect, test } from 'vitest';
import { cutText, titleOf } from '../../../src/core/session.ts';

test.each<[string, string]>([
  ['fix the login', 'fix the login'],
  ['\n\n  first line  \nsecond', 'first line'],
  ['first\r\nsecond', 'first'],
  ['', ''],
  ['   ', ''],
  ['a'.repeat(48), 'a'.repeat(48)],
  ['a'.repeat(49), `${'a'.repeat(47)}…`],
  [`${'word '.repeat(20)}`, 'word word word word word word word word word…'],
  ['😀'.repeat(49), `${'😀'.repeat(47)}…`],
])('the title of %j', (task, title) => {
  expect(titleOf(task)).toBe(title);
  expect([...titleOf(task)].length).toBeLessThanOrEqual(48);
});

test('a long text is cut at 500 characters, never inside a surrogate pair', () => {
  expect(cutText('a'.repeat(500))).toBe('a'.repeat(500));
  expect(cutText('a'.repeat(501))).toBe(`${'a'.repeat(499)}…`);
  expect(cutText(`${'a'.repeat(498)}😀${'b'.repeat(9)}`)).toBe(`${'a'.repeat(498)}…`);
  expect(cutText(`${'a'.repeat(497)}😀${'b'.repeat(9)}`)).toBe(`${'a'.repeat(497)}😀…`);
  for (const shift of [0, 1, 2, 3]) {
    const cut = cutText('x'.repeat(shift) + '😀'.repeat(400));
    expect(cut.length).toBeLessThanOrEqual(500);
    expect(cut).not.toMatch(/\p{Surrogate}/u);
  }
});
