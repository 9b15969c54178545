import { expect, test } from 'vitest';
import { changedIn } from '../../../../src/core/conversation/session-reader.ts';
import { changedFiles, type Step, stepLine, toolContent } from '../../../../src/core/conversation/steps.ts';
import type { StepStatus } from '../../../../src/core/events.ts';
import { pathFrom } from '../../../../src/core/path.ts';
import { readerOf } from '../../../helpers/views.ts';

const ran = { type: 'command', command: 'ls', exit_code: 0, status: 'completed' } as const;
const command = { ...ran, output: 'a\nb\n' };
const cut = { ...ran, output: null, exit_code: null, status: 'interrupted' } as const;
const changes = [
  { path: '/a', kind: 'add' },
  { path: '/b', kind: 'delete' },
] as const;
const items = [
  { text: 'x', completed: true },
  { text: 'y', completed: false },
];
const tool = { type: 'tool_call', name: 's.t', args: { x: 1 }, result: 'boom', status: 'failed' } as const;
const edit = { type: 'file_change', changes, status: 'failed' } as const;

test.each<[string, Step, string | null, string]>([
  ['a command', command, '$ ls\na\nb\n[exit 0]', '$ ls'],
  ['a command that was interrupted', cut, '$ ls\n[interrupted]', '$ ls'],
  [
    'a command in a shell',
    { ...command, command: "/bin/bash -lc 'ls -1'" },
    '$ ls -1\na\nb\n[exit 0]',
    '$ ls -1',
  ],
  ['a silent command', { ...command, output: '', exit_code: 3 }, '$ ls\n[exit 3]', '$ ls'],
  ['a change of files', edit, 'add /a\ndelete /b\n[failed]', 'add /a, delete /b'],
  ['a tool', tool, 's.t\n{"x":1}\nboom\n[failed]', 's.t {"x":1}'],
  ['a plan', { type: 'plan', items }, null, 'plan: 1 of 2 done'],
  ['reasoning', { type: 'reasoning', content: 'hm' }, null, 'hm'],
  ['a warning', { type: 'warning', message: 'careful' }, null, 'careful'],
])('%s, as a message of a tool and in one line', (_, step, content, line) => {
  expect(toolContent(step)).toBe(content);
  expect(stepLine(step)).toBe(line);
});

const editOf = (status: StepStatus, ...paths: string[]): Step => ({
  type: 'file_change',
  changes: paths.map((path) => ({ path, kind: 'update' })),
  status,
});

test('the files that a step has changed, and none that it was only meant to', () => {
  expect(changedFiles(editOf('completed', '/b', '/w/a'), '/w')).toEqual(['/b', 'a']);
  const others = ['failed', 'declined', 'interrupted', 'in_progress'] as const;
  expect(others.flatMap((status) => changedFiles(editOf(status, '/c'), '/w'))).toEqual([]);
});

test.each<[string | null, string, string]>([
  ['/w', '/w/a/b', 'a/b'],
  ['/w/', '/w/a', 'a'],
  ['/', '/a', 'a'],
  ['/w', '/w', '/w'],
  ['/w', '/w/', '/w/'],
  ['/w', '/wa/b', '/wa/b'],
  ['/w', 'a', 'a'],
  [null, '/w/a', '/w/a'],
])('in %j the file %j is %j', (directory, path, told) => {
  expect(pathFrom(directory, path)).toBe(told);
});

test('a session changed the files of all turns of its conversation, each once; the first five are named', () => {
  const changing = (turn: number, in_conversation: boolean, names: string) => {
    const changes = [...names].map((path) => ({ path, kind: 'update' as const }));
    return readerOf(
      { turn, in_conversation },
      { steps: [{ type: 'file_change', changes, status: 'completed' }] },
    );
  };
  const turns = [changing(1, true, 'ab'), changing(2, false, 'x'), changing(3, true, 'bcdef')];
  expect(changedIn({ turns })).toEqual({ count: 6, first: ['a', 'b', 'c', 'd', 'e'] });
});
