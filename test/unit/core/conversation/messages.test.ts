import { expect, test } from 'vitest';
import { type Step, stepLine, toolContent } from '../../../../src/core/conversation/steps.ts';

const command = {
  type: 'command',
  command: 'ls',
  output: 'a\nb\n',
  exit_code: 0,
  status: 'completed',
} as const;

test.each<[string, Step, string | null, string]>([
  ['a command', command, '$ ls\na\nb\n[exit 0]', '$ ls'],
  [
    'a command that was interrupted',
    { ...command, output: null, exit_code: null, status: 'interrupted' },
    '$ ls\n[interrupted]',
    '$ ls',
  ],
  ['a silent command', { ...command, output: '', exit_code: 3 }, '$ ls\n[exit 3]', '$ ls'],
  [
    'a change of files',
    {
      type: 'file_change',
      changes: [
        { path: '/a', kind: 'add' },
        { path: '/b', kind: 'delete' },
      ],
      status: 'failed',
    },
    'add /a\ndelete /b\n[failed]',
    'add /a, delete /b',
  ],
  [
    'a tool',
    { type: 'tool_call', name: 's.t', args: { x: 1 }, result: 'boom', status: 'failed' },
    's.t\n{"x":1}\nboom\n[failed]',
    's.t',
  ],
  [
    'a plan',
    {
      type: 'plan',
      items: [
        { text: 'x', completed: true },
        { text: 'y', completed: false },
      ],
    },
    null,
    'plan: 1 of 2 done',
  ],
  ['reasoning', { type: 'reasoning', content: 'hm' }, null, 'hm'],
  ['a warning', { type: 'warning', message: 'careful' }, null, 'careful'],
])('%s, as a message of a tool and in one line', (_, step, content, line) => {
  expect(toolContent(step)).toBe(content);
  expect(stepLine(step)).toBe(line);
});
