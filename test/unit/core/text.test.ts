import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { cutText, titleOf } from '../../../src/core/session.ts';
import { withoutShell } from '../../../src/core/shell-word.ts';
import { closest } from '../../../src/core/suggest.ts';
import { bothEnds, lastLines } from '../../../src/core/text-ends.ts';

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
  [`${'a'.repeat(48)}   `, 'a'.repeat(48)],
  [`short${' '.repeat(1000)}\nsecond`, 'short…'],
  [`short${' '.repeat(1000)}and more`, 'short…'],
])('the title of %j', (task, title) => {
  expect(titleOf(task)).toBe(title);
});

test('a long text is cut at 500 characters, never inside a surrogate pair', () => {
  expect(cutText('a'.repeat(500))).toBe('a'.repeat(500));
  expect(cutText('a'.repeat(501))).toBe(`${'a'.repeat(499)}…`);
  expect(cutText(`${'a'.repeat(498)}😀${'b'.repeat(9)}`)).toBe(`${'a'.repeat(498)}…`);
  expect(cutText(`${'a'.repeat(497)}😀${'b'.repeat(9)}`)).toBe(`${'a'.repeat(497)}😀…`);
});

test('of a long text both ends are told, and how much is left out; never half of a surrogate pair', () => {
  expect(bothEnds('a'.repeat(100), 100)).toBe('a'.repeat(100));
  const text = `${'a'.repeat(1000)}${'b'.repeat(1000)}`;
  expect(bothEnds(text, 42)).toBe(`${'a'.repeat(10)}\n… 1,980 characters …\n${'b'.repeat(10)}`);
  for (let limit = 40; limit < 60; limit += 1) {
    const [head = '', count, tail = ''] = bothEnds('😀'.repeat(50), limit).split(/\n… (\d+) characters …\n/);
    expect(`${head}${tail}`).toMatch(/^(😀)+$/u);
    expect(head.length + Number(count) + tail.length).toBe(100);
    expect(bothEnds('😀'.repeat(50), limit).length).toBeLessThanOrEqual(limit);
  }
});

test.each([
  ['', ''],
  ['one\n', 'one'],
  ['1\n2\r\n3\n4\n\n', '2\n3\n4'],
  [`first\n${'x'.repeat(30)}end`, `…${'x'.repeat(16)}end`],
  [`😀${'x'.repeat(18)}`, `😀${'x'.repeat(18)}`],
  [`😀${'x'.repeat(19)}`, `…${'x'.repeat(19)}`],
])('of %j the last three lines, and no more than twenty characters: %j', (text, last) => {
  expect(lastLines(text, 3, 20)).toBe(last);
});

test('the title of a task of megabytes is found at its beginning', () => {
  expect(titleOf('😀'.repeat(5 << 20))).toBe(`${'😀'.repeat(47)}…`);
  expect(titleOf(`${' \n'.repeat(5 << 20)}late`)).toBe('late');
  expect(titleOf(`x${'\r'.repeat(5 << 20)}y`)).toBe('x…');
});

test('what is cut out of a text does not keep the whole of it in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const heldAfter = (cut: (text: string) => string): number => {
    collect();
    const before = process.memoryUsage().heapUsed;
    const cuts = Array.from({ length: 20 }, (_, i) => cut(`${i}${'x'.repeat(4 << 20)}`));
    collect();
    expect(cuts).toHaveLength(20);
    return process.memoryUsage().heapUsed - before;
  };
  expect(heldAfter(cutText)).toBeLessThan(8 << 20);
  // As it would be.
  expect(heldAfter((text) => text.slice(0, 499))).toBeGreaterThan(40 << 20);
});

test.each([
  ["/bin/bash -lc 'ls -1'", 'ls -1'],
  ["bash -lc 'ls -1'", 'ls -1'],
  ["/usr/bin/zsh -c 'a\nb'", 'a\nb'],
  ['/bin/bash -lc true', 'true'],
  [`/bin/bash -lc "echo 'a' \\"\\$b\\" \\\\n"`, `echo 'a' "$b" \\n`],
  // Whatever the shell itself would change, or be told beside it, stays in sight.
  ...`bash -lc "echo $HOME"|bash -lc 'a' b|bash -lc 'a'b'c'|bash -lc "a" "b"`
    .split('|')
    .map((same) => [same]),
  ...`bash -x -lc 'a'|env bash -lc 'a'|bash -lc 'a|ls|`.split('|').map((same) => [same]),
])('%j is told as %j', (command = '', told = command) => {
  expect(withoutShell(command)).toBe(told);
});

test('a very long command is not taken apart', () => {
  const shell = (part: string) => `bash -lc "${part.repeat(500_000 / part.length)}`;
  for (const long of [`bash -lc '${'x'.repeat(10_000)}'`, ...["'", '"', '\\', '"\\', "a'"].map(shell)])
    expect(withoutShell(long) === long).toBe(true);
});

test.each<[string, string | null]>([
  ['workspce-write', 'workspace-write'],
  ['READ-ONLY', 'read-only'],
  ['readonly', 'read-only'],
  ['', null],
  ['banana', null],
  ['x'.repeat(100_000), null],
])('the nearest known word to %.20s', (word, expected) => {
  expect(closest(word, ['read-only', 'workspace-write', 'danger-full-access'])).toBe(expected);
});
