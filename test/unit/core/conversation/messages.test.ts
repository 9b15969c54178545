import { expect, test } from 'vitest';
import { fullMessages } from '../../../../src/core/conversation/messages.ts';
import { type Step, stepLine } from '../../../../src/core/conversation/steps.ts';
import type { Message } from '../../../../src/core/session.ts';

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
  const tool = content === null ? [] : [{ role: 'tool', content, turn: 1, timestamp: null }];
  expect([...fullMessages(new Map([[1, []]]), [{ turn: 1, steps: [step] }])]).toEqual(tool);
  expect(stepLine(step)).toBe(line);
});

test('each turn begins with what the user said, then what the agent did and said in its order', () => {
  const message = (role: Message['role'], content: string, turn: number): Message => ({
    role,
    content,
    turn,
    timestamp: 't',
  });
  const messages = new Map([
    [1, [message('user', 'q1', 1), message('assistant', 'a1', 1)]],
    [2, [message('user', 'q2', 2), message('assistant', 'a2', 2)]],
  ]);
  const said = (content: string): Step => ({ type: 'message', role: 'assistant', content });
  const full = fullMessages(messages, [
    { turn: 1, steps: [said('a1'), command, said('a1b')] },
    { turn: 2, steps: [said('a2')] },
    // Wound back.
    { turn: 3, steps: [said('a3')] },
  ]);
  expect([...full].map(({ role, turn }) => `${role} ${turn}`)).toEqual([
    'user 1',
    'assistant 1',
    'tool 1',
    'assistant 1',
    'user 2',
    'assistant 2',
  ]);
});
