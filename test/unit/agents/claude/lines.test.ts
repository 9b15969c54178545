import { expect, test } from 'vitest';
import { createClaudeParser } from '../../../../src/agents/claude/translate.ts';
import { stepLine } from '../../../../src/core/conversation/steps.ts';
import { foldWhole } from '../../../helpers/fold.ts';

const ID = '11111111-1111-4111-8111-111111111101';
const line = (fields: object): string => JSON.stringify(fields);
const read = (text: string) => createClaudeParser()({ seq: 7, text });

function fold(...lines: object[]) {
  const parse = createClaudeParser();
  return foldWhole(
    lines.flatMap((fields, seq) => [...parse({ seq, text: line(fields) })]),
    true,
  );
}

const init = { type: 'system', subtype: 'init', session_id: ID };
const call = (id: string, name: string, input: object, more: object = {}) => ({
  type: 'assistant',
  message: { id: `m${id}`, content: [{ type: 'tool_use', id, name, input }], usage: null },
  ...more,
});
const answer = (id: string, content: unknown, more: object = {}) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
});
const said = (text: string, id: string, output: number) => ({
  type: 'assistant',
  message: { id, content: [{ type: 'text', text }], usage: { input_tokens: 10, output_tokens: output } },
});
const done = (more: object = {}) => ({ type: 'result', subtype: 'success', is_error: false, ...more });
const stopped = { type: 'system', subtype: 'task_notification', status: 'stopped', summary: 'a server' };

test.each([
  ...['{}', '{"type":"x"}', '{"type":5}', '{"type":"__proto__"}', '{"type":"system","subtype":"toString"}'],
  ...['{"type":"system","subtype":"new"}', '{"type":"constructor"}'],
])('%s is unknown', (text) => {
  expect(read(text)).toEqual([{ seq: 7, type: 'unknown', raw: text }]);
});

test.each([
  ...[
    'null',
    '5',
    '[]',
    '"result"',
    '{"type":"result"}',
    '{"type":"assistant"}',
    '{"type":"user"}',
    '{"type":"sys',
  ],
  ...[
    line({ ...init, session_id: '../../etc' }),
    line({ ...init, session_id: '--help' }),
    line({ type: 'system' }),
  ],
  line({ type: 'assistant', message: { id: 'm', content: 'text' } }),
])('%s is malformed', (text) => {
  expect(read(text)).toEqual([{ seq: 7, type: 'malformed', raw: text }]);
});

test.each<[string, object[], object]>([
  [
    'the last result counts',
    [init, done(), done({ is_error: true, result: 'boom' })],
    { kind: 'failed', message: 'boom' },
  ],
  [
    'an error in the name of success is one',
    [done({ is_error: true, errors: ['a', 'b'] })],
    { kind: 'failed', message: 'a; b' },
  ],
  [
    'without words its kind is told',
    [done({ is_error: true, subtype: 'error_x' })],
    { kind: 'failed', message: 'error_x' },
  ],
  ['who works again has not ended', [init, done(), init], { kind: 'begun' }],
  [
    'a turn whose background work was ended is no success',
    [init, done(), stopped],
    { kind: 'failed', message: 'its work in the background was ended before it was done: a server' },
  ],
  ['what the agent itself stopped is none of that', [init, stopped, done()], { kind: 'completed' }],
])('%s', (_, lines, terminal) => {
  expect(fold(...lines).terminal).toEqual(terminal);
});

test.each<[string, object[], string[]]>([
  ['a call without a result was interrupted', [call('1', 'Bash', { command: 'ls' })], ['$ ls interrupted']],
  [
    'results come in any order',
    [
      call('1', 'Bash', { command: 'a' }),
      call('2', 'Bash', { command: 'b' }),
      answer('2', 'B'),
      answer('1', 'A'),
    ],
    ['$ a completed A', '$ b completed B'],
  ],
  [
    'a result in blocks',
    [call('1', 'Bash', { command: 'a' }), answer('1', [{ type: 'text', text: 'A' }])],
    ['$ a completed A'],
  ],
  ['a result without its call, as far up as a reader from the end comes', [answer('9', 'x')], []],
  [
    'an unknown tool',
    [call('1', 'Grep', { pattern: 'x' }), answer('1', 'none', { is_error: true })],
    ['Grep {"pattern":"x"} failed'],
  ],
  ['a known tool with an unknown input', [call('1', 'Bash', { cmd: 5 })], ['Bash {"cmd":5} interrupted']],
  [
    'a notebook',
    [call('1', 'NotebookEdit', { notebook_path: 'n' }), answer('1', 'ok')],
    ['update n completed'],
  ],
  [
    'a task that another turn made is not listed, but changed',
    [call('1', 'TaskUpdate', { taskId: '4', status: 'completed' }), answer('1', 'ok')],
    ['TaskUpdate {"taskId":"4","status":"completed"} completed'],
  ],
  [
    'tasks that are taken back, and a list of none',
    [
      call('1', 'TaskList', {}),
      { ...answer('1', 'none'), tool_use_result: { tasks: [] } },
      call('2', 'TaskCreate', { subject: 'look' }),
      { ...answer('2', 'ok'), tool_use_result: { task: { id: '1', subject: 'look' } } },
      call('3', 'TaskUpdate', { taskId: '1', status: 'deleted' }),
      answer('3', 'ok'),
    ],
    ['TaskList {} completed', 'plan: 0 of 0 done'],
  ],
  [
    'a task that could not be made',
    [call('1', 'TaskCreate', { subject: 'look' }), answer('1', 'no such tool', { is_error: true })],
    ['TaskCreate {"subject":"look"} failed'],
  ],
])('%s', (_, lines, expected) => {
  const steps = fold(...lines).steps.map((step) =>
    [stepLine(step), 'status' in step ? step.status : '', 'output' in step ? (step.output ?? '') : '']
      .join(' ')
      .trim(),
  );
  expect(steps).toEqual(expected);
});

/** With what the program says besides. */
const told = (id: string, content: string) => ({ ...answer(id, content), tool_use_result: { stdout: '' } });
const SILENT = '(Bash completed with no output)';
const inBackground = { ...answer('1', 'it runs'), tool_use_result: { backgroundTaskId: 'b' } };
const ended = (status: string, summary: string) => ({
  ...{ type: 'system', subtype: 'task_notification', tool_use_id: '1' },
  ...{ status, summary },
});

test.each<[string, object[], object]>([
  ['nothing to say', [told('1', SILENT)], { exit_code: 0, status: 'completed', output: '' }],
  [
    'nothing told of its end, as one of a subagent',
    [answer('1', SILENT)],
    { exit_code: null, status: 'completed', output: '' },
  ],
  [
    'an end in the middle',
    [{ ...answer('1', 'rejected', { is_error: true }), tool_use_result: 'User rejected tool use' }],
    { exit_code: null, status: 'interrupted', output: null },
  ],
  [
    'an exit code that is no failure, such as that of grep without a match',
    [{ ...answer('1', SILENT), tool_use_result: { returnCodeInterpretation: 'No matches found' } }],
    { exit_code: 1, status: 'completed', output: '' },
  ],
  [
    'an output that looks like a failure',
    [told('1', 'Exit code 7\nwas it')],
    { exit_code: 0, status: 'completed', output: 'Exit code 7\nwas it' },
  ],
  [
    'a failure',
    [answer('1', 'Exit code 7\noops', { is_error: true })],
    { exit_code: 7, status: 'failed', output: 'oops' },
  ],
  [
    'a failure in the background',
    [inBackground, ended('failed', 'Background command "a" failed with exit code 4')],
    { exit_code: 4, status: 'failed', output: '' },
  ],
  [
    'no match in the background',
    [inBackground, ended('completed', 'Background command "a" completed (exit code 1: No matches found)')],
    { exit_code: 1, status: 'completed', output: '' },
  ],
  [
    'a description that looks like an end',
    [inBackground, ended('stopped', 'fail with exit code 3')],
    { exit_code: null, status: 'interrupted' },
  ],
])('a command with %s', (_, lines, expected) => {
  expect(fold(call('1', 'Bash', { command: 'a' }), ...lines).steps).toMatchObject([expected]);
});

test('of a turn that was cut off each call of the model is counted once, and less than there was', () => {
  const { tokens } = fold(init, said('a', 'm1', 1), said('b', 'm1', 5), said('c', 'm2', 1));
  expect(tokens).toMatchObject({ input: 20, output: 6, partial: true, costUsd: null });
});

test('a subagent answers nothing for the agent', () => {
  const {
    answer: last,
    messages,
    steps,
  } = fold(said('mine', 'm1', 1), { ...said('its', 'm2', 1), parent_tool_use_id: '1' });
  expect({ last, messages, by: steps.map(({ subagent }) => subagent) }).toEqual({
    last: 'mine',
    messages: ['mine'],
    by: [undefined, '1'],
  });
});
