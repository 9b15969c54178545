import { expect, test } from 'vitest';
import type { Step } from '../../../src/core/conversation/steps.ts';
import type { Message, SessionDetail } from '../../../src/core/session.ts';
import { errorLines, renderSession } from '../../../src/render/session.ts';
import { createStyle } from '../../../src/render/style.ts';
import { plain } from '../../helpers/display.ts';
import { detailOf, turnOf } from '../../helpers/views.ts';

const style = createStyle({ NO_COLOR: '1' }, { isTTY: true, columns: 80 }, 0);
const page = (detail: Partial<SessionDetail>, steps: readonly Step[] | null = null): string =>
  renderSession(detailOf(detail), steps === null ? null : [{ turn: 1, steps }], style);
const message = (role: Message['role'], content: string, turn = 1): Message => ({
  role,
  content,
  turn,
  timestamp: null,
});
const EVIL = '\x1b]52;c;eA==\x07\x1b[2J\x9b31m\u202e\r';

test('the card, then the conversation in its order', () => {
  const text = page({
    name: 'greeting',
    model: 'gpt-5.5',
    token_usage: {
      input_tokens: 1200,
      cached_input_tokens: 1000,
      output_tokens: 30,
      reasoning_output_tokens: 0,
      total_tokens: 1230,
    },
    turns: [turnOf(), turnOf({ turn: 2, prompt: 'again\nplease\n', how: 'native' })],
    messages: [
      message('user', 'say hello'),
      message('assistant', 'hello'),
      message('user', 'again\nplease\n', 2),
      message('assistant', 'hello\n\n  again', 2),
    ],
  });
  expect(text).toBe(
    `abcdefghjk  completed
  name       greeting
  agent      codex, gpt-5.5
  sandbox    workspace-write
  directory  /w
  turn       1
  duration   5.0s
  tokens     1,200 in (1,000 cached), 30 out
  created    2026-11-20T10:00:00.000Z
  ended      2026-11-20T10:00:05.000Z
  log        /w/.zwarm/events.jsonl

── turn 1 · completed ${'─'.repeat(58)}

> say hello

  hello

── turn 2 · completed ${'─'.repeat(58)}

> again
> please

  hello

    again
`,
  );
});

test('a failure is told with what to do, in the card and at its turn', () => {
  const error = { code: 'login_required', message: 'who?', hint: 'log in', retryable: false, retry_at: null };
  const text = page({ status: 'failed', error, turns: [turnOf({ status: 'failed', error })] });
  expect(text.split('who?\n')).toHaveLength(3);
  expect(text.match(/hint: log in/g)).toHaveLength(2);
  expect(errorLines({ ...error, hint: null })).toEqual(['who?']);
});

test('an answer cannot pose as a line of the page, and a missing one is said to be missing', () => {
  const posing = page({ messages: [message('assistant', 'x\n── turn 9 · completed ──')] });
  expect(posing).toContain('\n  ── turn 9');
  expect(posing).not.toContain('\n── turn 9');
  expect(page({ messages: [] })).toContain('(it completed without an answer)');
});

test('a turn that did not go on natively says so, and warnings are shown', () => {
  const turns = [turnOf(), turnOf({ turn: 2, how: 'replay', warnings: ['another model'] })];
  const text = page({ turns });
  expect(text).toContain('── turn 2 · completed · replay ─');
  expect(text).toContain('\n! another model\n');
  expect(text).toContain('── turn 1 · completed ─');
});

test('with its steps a page tells what was done, and how it ended', () => {
  const text = page({}, [
    { type: 'reasoning', content: 'first\nthink' },
    { type: 'command', command: 'ls', output: 'a\nb\n', exit_code: 0, status: 'completed' },
    { type: 'command', command: 'false', output: '', exit_code: 1, status: 'failed' },
    { type: 'command', command: 'sleep 9', output: null, exit_code: null, status: 'interrupted' },
    { type: 'file_change', changes: [{ path: '/a', kind: 'add' }], status: 'completed' },
    {
      type: 'plan',
      items: [
        { text: 'x', completed: true },
        { text: 'y', completed: false },
      ],
    },
    { type: 'message', role: 'assistant', content: 'hello' },
  ]);
  const expected = [
    '  first think',
    '  $ ls\n    a\n    b',
    '  $ false [exit 1]',
    '  $ sleep 9 [interrupted]',
    '  add /a',
    '  [x] x\n  [ ] y',
    '  hello',
  ];
  expect(text.endsWith(`> say hello\n\n${expected.join('\n\n')}\n`)).toBe(true);
});

test('whatever text a page shows, from the agent or from disk, it commands no terminal', () => {
  const error = { code: 'x', message: EVIL, hint: EVIL, retryable: false, retry_at: null };
  const detail: Partial<SessionDetail> = {
    name: EVIL,
    agent: EVIL,
    model: EVIL,
    working_dir: EVIL,
    thread_id: EVIL,
    created_at: EVIL,
    ended_at: EVIL,
    log_file: EVIL,
    error,
    turns: [turnOf({ prompt: EVIL, error, warnings: [EVIL] })],
    messages: [message('assistant', EVIL)],
  };
  const steps: Step[] = [
    { type: 'reasoning', content: EVIL },
    { type: 'message', role: 'assistant', content: EVIL },
    { type: 'command', command: EVIL, output: EVIL, exit_code: 0, status: 'completed' },
    { type: 'file_change', changes: [{ path: EVIL, kind: 'add' }], status: 'completed' },
    { type: 'tool_call', name: EVIL, args: EVIL, result: EVIL, status: 'completed' },
    { type: 'plan', items: [{ text: EVIL, completed: true }] },
    { type: 'warning', message: EVIL },
    { type: 'error', message: EVIL },
  ];
  for (const text of [page(detail), page(detail, steps)]) {
    expect(text).toContain('\\x1b]52;c;eA==\\x07');
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  }
  const coloured = createStyle({ FORCE_COLOR: '1' }, { isTTY: true, columns: 80 }, 0);
  const painted = renderSession(detailOf(detail), [{ turn: 1, steps }], coloured);
  expect(plain(painted)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});
