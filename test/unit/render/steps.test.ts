import { expect, test } from 'vitest';
import type { Step } from '../../../src/core/conversation/steps.ts';
import type { StepStatus } from '../../../src/core/events.ts';
import { renderMarkdown } from '../../../src/render/markdown/markdown.ts';
import { renderStep } from '../../../src/render/steps.ts';
import { createStyle } from '../../../src/render/style.ts';

const onPipe = createStyle({ NO_COLOR: '1' }, { isTTY: false, columns: Number.POSITIVE_INFINITY }, 0);
const onTerminal = { ...createStyle({}, { isTTY: true, columns: 30 }, 0), markdown: renderMarkdown };
const SHORT = { full: false, directory: '/w' };
const FULL = { full: true, directory: '/w' };

const command = (output: string | null, exitCode: number | null, status: StepStatus): Step => ({
  type: 'command',
  command: 'make',
  output,
  exit_code: exitCode,
  status,
});
const tool = (more: Partial<Extract<Step, { type: 'tool_call' }>>): Step => ({
  ...{ type: 'tool_call', name: 'find', args: null, result: null, status: 'completed' },
  ...more,
});
const WORDS = 'one two three four five six seven';
const thought: Step = { type: 'reasoning', content: '**Where** is\nthe total?' };
const much = command('1\n2\n3\n4\n5\n6\n7\n', 0, 'completed');
const longCommand = { ...command('', 0, 'completed'), command: 'x'.repeat(50) } as Step;
const wide = command(`\t${'漢'.repeat(30)}\n`, 1, 'failed');
const warning: Step = { type: 'warning', message: WORDS };
const files: Step = {
  type: 'file_change',
  changes: ['/w/a', '/w', '/w/', '/wa', 'b'].map((path) => ({ path, kind: 'unknown' })),
  status: 'failed',
};
const edited: Step = {
  type: 'file_change',
  changes: [{ path: '/w/a', kind: 'update', diff: '@@ -1,2 +1,3 @@\n a\n-b\n+c\n+\x1b[2J' }],
  status: 'completed',
};
const plan: Step = {
  type: 'plan',
  items: [
    { text: 'a', completed: true },
    { text: WORDS, completed: false },
  ],
};

test.each<[string, Step, boolean, string]>([
  ['a command that runs', command(null, null, 'in_progress'), false, '  $ make [running]'],
  ['a command that was refused', command(null, null, 'declined'), false, '  $ make [declined]'],
  ['output that fits', command('a\r\nb\tc\n\n', 2, 'failed'), false, '  $ make [exit 2]\n    a\n    b\tc'],
  [
    'too much output',
    much,
    false,
    '  $ make [exit 0]\n    … 1 line above; --full shows them\n    2\n    3\n    4\n    5\n    6\n    7',
  ],
  ['the whole of it', command('a\n\n b\n', 0, 'completed'), true, '  $ make [exit 0]\n    a\n\n     b'],
  [
    'a command of several lines',
    { ...much, command: 'a\n\nb', output: '' } as Step,
    true,
    '  $ a\n\n    b [exit 0]',
  ],
  ['a tool without arguments', tool({}), false, '  find'],
  ['a tool that failed', tool({ args: { a: [1] }, status: 'failed' }), false, '  find {"a":[1]} [failed]'],
  ['a text as an argument', tool({ args: 'a\nb' }), false, '  find a b'],
  ['a result, which is left out', tool({ result: 'found' }), false, '  find'],
  ['a result', tool({ args: 'a\nb', result: { x: 1 } }), true, '  find a\n  b\n    {"x":1}'],
  ['a thought on one line', thought, false, '  **Where** is the total?'],
  ['a thought', thought, true, '  **Where** is\n  the total?'],
  ['an empty message', { type: 'message', role: 'assistant', content: ' \n' }, false, ''],
  ['an empty plan', { type: 'plan', items: [] }, false, ''],
  ['a failure', { type: 'error', message: 'a\nb' }, false, '  error: a b'],
  ['files', files, false, '  unknown a\n  unknown /w\n  unknown /w/\n  unknown /wa\n  unknown b\n  [failed]'],
  ['the size of a change', edited, false, '  update a +2 −1'],
  ['a change', edited, true, '  update a +2 −1\n    @@ -1,2 +1,3 @@\n     a\n    -b\n    +c\n    +\\x1b[2J'],
  [
    'what a subagent did',
    { ...command(null, 0, 'completed'), subagent: 'c1' },
    false,
    '  ↳ subagent\n  $ make [exit 0]',
  ],
])('%s', (_, step, full, text) => {
  expect(renderStep(step, onPipe, full ? FULL : SHORT)).toBe(text);
});

test.each<[string, Step, string]>([
  ['a long command', longCommand, `\x1b[36m  $ ${'x'.repeat(16)}…\x1b[39m\x1b[2m [exit 0]\x1b[22m`],
  ['output', wide, `\x1b[36m  $ make\x1b[39m\x1b[31m [exit 1]\x1b[39m\n        ${'漢'.repeat(10)}…`],
  ['a plan', plan, '\x1b[32m  ✓ a\x1b[39m\n  ☐ one two three four five\n    six seven'],
  // Each line in its colour.
  ['a warning', warning, '\x1b[35m  ! one two three four five\x1b[39m\n\x1b[35m    six seven\x1b[39m'],
])('on a terminal: %s', (_, step, text) => {
  expect(renderStep(step, onTerminal, SHORT)).toBe(text);
});

test('a line break of two characters is one, wherever a long output is taken apart', () => {
  const text = renderStep(command('x\r\n'.repeat(10_000), 0, 'completed'), onPipe, FULL);
  expect(text.replaceAll('    x\n', '')).toBe('  $ make [exit 0]\n    x');
  const full = `${'x'.repeat(8192)}\r\ny`;
  expect(renderStep(command(full, 0, 'completed'), onPipe, FULL)).not.toContain('\\x0d');
});

test('on a terminal a thought on one line has no marks, and a command keeps what looks like one', () => {
  expect(renderStep(thought, { ...onTerminal, paint: onPipe.paint }, SHORT)).toBe('  Where is the total?');
  const code: Step = { type: 'reasoning', content: 'a\n```js\nb\n```\n- c' };
  expect(renderStep(code, { ...onTerminal, paint: onPipe.paint }, SHORT)).toBe('  a b c');
  const only: Step = { type: 'reasoning', content: `${' '.repeat(3000)}---` };
  expect(renderStep(only, { ...onTerminal, paint: onPipe.paint }, SHORT)).toBe('  ---');
  const echo: Step = { ...much, output: null, command: 'echo `date` **' } as Step;
  expect(renderStep(echo, { ...onTerminal, paint: onPipe.paint }, SHORT)).toBe('  $ echo `date` ** [exit 0]');
});

test('on a terminal a thought in full has its Markdown', () => {
  expect(renderStep(thought, onTerminal, FULL)).toBe(
    '  \x1b[2m\x1b[1mWhere\x1b[22m\x1b[22m\x1b[2m is\x1b[22m\n  \x1b[2mthe total?\x1b[22m',
  );
});
