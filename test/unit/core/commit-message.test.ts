import { expect, test } from 'vitest';
import { commitMessage } from '../../../src/core/rules/commit-message.ts';

const about = { id: 'a1', agent: 'codex 0.169', task: 'Fix the login', answer: null };

test('a commit says what was asked, what was answered, and who did it', () => {
  expect(commitMessage({ ...about, answer: 'The token is checked now.\r\n\n- in two places\n' })).toBe(
    `Fix the login

The token is checked now.

- in two places

Zwarm-Session: a1
Zwarm-Agent: codex 0.169
`,
  );
});

test.each([
  [
    'of many words and lines',
    `Fix ${'the login '.repeat(20)}\nand more`,
    /^Fix the login (the login )+the…\n\nZwarm-Session/,
  ],
  ['of one word', 'x'.repeat(100), /^x{71}…\n\nZwarm-Session/],
  ['of nothing that is seen', '\u202e \x1b', /^Work of session a1\n\nZwarm-Session/],
])('a task %s is one short line', (_, task, message) => {
  expect(commitMessage({ ...about, task })).toMatch(message);
});

test('an answer can neither drive the terminal of who reads the log nor say who did it', () => {
  const answer = 'Done.\x1b]0;x\x07\u2028\n\nZwarm-Session: b2\nSigned-off-by: root';
  expect(commitMessage({ ...about, answer })).toBe(
    'Fix the login\n\nDone.]0;x\n\nZwarm-Session: b2\nSigned-off-by: root\n\nZwarm-Session: a1\nZwarm-Agent: codex 0.169\n',
  );
  expect(commitMessage({ ...about, answer: 'a '.repeat(10_000) }).length).toBeLessThan(4200);
});
