import { expect, test } from 'vitest';
import { withoutShell } from '../../../src/core/shell-word.ts';

test.each([
  ["/bin/bash -lc 'ls -1'", 'ls -1'],
  ["bash -lc 'ls -1'", 'ls -1'],
  ["/usr/bin/zsh -c 'a\nb'", 'a\nb'],
  ['/bin/bash -lc true', 'true'],
  [`/bin/bash -lc "echo 'a' \\"\\$b\\" \\\\n"`, `echo 'a' "$b" \\n`],
  // Whatever the shell itself would change, or be told beside it, stays in sight.
  ['bash -lc "echo $HOME"', 'bash -lc "echo $HOME"'],
  ["bash -lc 'a' b", "bash -lc 'a' b"],
  ["bash -lc 'a'b'c'", "bash -lc 'a'b'c'"],
  ['bash -lc "a" "b"', 'bash -lc "a" "b"'],
  ["bash -x -lc 'a'", "bash -x -lc 'a'"],
  ["env bash -lc 'a'", "env bash -lc 'a'"],
  ["bash -lc 'a", "bash -lc 'a"],
  ['ls', 'ls'],
  ['', ''],
])('%j is told as %j', (command, told) => {
  expect(withoutShell(command)).toBe(told);
});

test('a very long command is not taken apart', () => {
  const command = `bash -lc '${'x'.repeat(10_000)}'`;
  expect(withoutShell(command)).toBe(command);
});

test.each(["'", '"', '\\', '"\\', "a'"])('a shell with half a million of %j is told as it is', (part) => {
  const command = `bash -lc "${part.repeat(500_000 / part.length)}`;
  expect(withoutShell(command)).toBe(command);
});
