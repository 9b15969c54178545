import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';
import type { AgentEvent } from '../../../../src/core/events.ts';
import { repositoryFile } from '../../../helpers/project.ts';

const read = (text: string): readonly AgentEvent[] => createCodexParser('0.169.0')({ seq: 7, text });
const types = (text: string): string[] => read(text).map((event) => event.type);
const linesOf = (name: string): string[] =>
  readFileSync(repositoryFile(`fixtures/streams/codex-0.169/${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean);

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, shuffled(inner)] as const);
  // The names of changed files are data, and the order of changes is theirs.
  return Object.fromEntries([['x_new_field', { deep: [1] }] as const, ...entries.reverse()]);
}

function withoutFreeForm(events: readonly AgentEvent[]): unknown {
  return events.map((event) =>
    event.type === 'tool_call' ? { ...event, args: 0, result: 0 } : event.type === 'unknown' ? 0 : event,
  );
}

test.each(['shell', 'mcp', 'todo-list'])(
  '%s reads the same with its keys in another order and with new fields',
  (name) => {
    for (const line of linesOf(name)) {
      const changed = JSON.stringify(shuffled(JSON.parse(line)));
      expect(changed).not.toBe(line);
      expect(withoutFreeForm(read(changed))).toEqual(withoutFreeForm(read(line)));
    }
  },
);

describe('a line of no known shape', () => {
  const item = (fields: object, type = 'item.completed'): string =>
    JSON.stringify({ type, item: { id: 'item_0', ...fields } });
  const deep = (line: string): string =>
    line.replace('"arguments":0', `"arguments":${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const tokens = (input: string): string =>
    `{"type":"turn.completed","usage":{"input_tokens":${input},"cached_input_tokens":0,"output_tokens":0}}`;
  const changes = Array(400_000).fill(null);
  const tool = item({ type: 'mcp_tool_call', server: 's', tool: 't', arguments: 0 });
  test.each<[string, string, 'malformed' | 'unknown']>([
    ['empty object', '{}', 'unknown'],
    ['null', 'null', 'malformed'],
    ['a number', '17', 'malformed'],
    ['a string', '"turn.completed"', 'malformed'],
    ['an array', '[{"type":"turn.completed"}]', 'malformed'],
    ['half an object', '{"type":"turn.comp', 'malformed'],
    ['two objects', '{"type":"turn.started"}{"type":"turn.started"}', 'malformed'],
    ['plain talk', 'Reading prompt from stdin...', 'malformed'],
    ['NUL bytes', '\0\0\0', 'malformed'],
    ['type null', '{"type":null}', 'unknown'],
    ['type object', '{"type":{}}', 'unknown'],
    ['type of tomorrow', '{"type":"turn.paused"}', 'unknown'],
    ['type __proto__', '{"type":"__proto__"}', 'unknown'],
    ['type constructor', '{"type":"constructor"}', 'unknown'],
    ['item type __proto__', item({ type: '__proto__' }), 'unknown'],
    ['item type constructor', item({ type: 'constructor' }), 'unknown'],
    ['item type of tomorrow', item({ type: 'image_generation' }), 'unknown'],
    ['msg null', '{"id":"0","msg":null}', 'unknown'],
    ['msg type toString', '{"id":"0","msg":{"type":"toString"}}', 'unknown'],
    ['thread id missing', '{"type":"thread.started"}', 'malformed'],
    ['thread id a number', '{"type":"thread.started","thread_id":5}', 'malformed'],
    ['no item', '{"type":"item.completed"}', 'malformed'],
    ['item null', '{"type":"item.completed","item":null}', 'malformed'],
    ['item without id', '{"type":"item.completed","item":{"type":"agent_message","text":"x"}}', 'malformed'],
    ['message without text', item({ type: 'agent_message' }), 'malformed'],
    ['message text null', item({ type: 'agent_message', text: null }), 'malformed'],
    ['reasoning text a list', item({ type: 'reasoning', text: ['a'] }), 'malformed'],
    ['command a list', item({ type: 'command_execution', command: ['ls'] }), 'malformed'],
    ['exit code a string', item({ type: 'command_execution', command: 'ls', exit_code: '0' }), 'malformed'],
    ['changes an object', item({ type: 'file_change', changes: {} }), 'malformed'],
    ['a change null', item({ type: 'file_change', changes: [null] }), 'malformed'],
    ['plan without items', item({ type: 'todo_list' }), 'malformed'],
    ['tool without a server', item({ type: 'mcp_tool_call', tool: 't' }), 'malformed'],
    ['usage a string', '{"type":"turn.completed","usage":"many"}', 'malformed'],
    ['negative tokens', tokens('-1'), 'malformed'],
    ['half a token', tokens('1.5'), 'malformed'],
    ['tokens beyond counting', tokens('1e300'), 'malformed'],
    ['failure without error', '{"type":"turn.failed"}', 'malformed'],
    ['failure with error text', '{"type":"turn.failed","error":"boom"}', 'malformed'],
    ['a change that is none, among a million', item({ type: 'file_change', changes }), 'malformed'],
    ['plans that are none', item({ type: 'todo_list', items: Array(200_000).fill({}) }), 'malformed'],
    ['nested deeper than any stack', deep(tool), 'malformed'],
    ['nested so from its beginning', `${'{"type":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'malformed'],
    ['nested so and never closed', '['.repeat(100_000), 'malformed'],
    ['more values than any event', item({ type: 'web_search', action: Array(600_000).fill(0) }), 'malformed'],
    ['error without message', '{"type":"error"}', 'malformed'],
  ])('%s', (_, text, type) => {
    expect(read(text)).toEqual([{ seq: 7, type, raw: text }]);
  });
});

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';
const notThreads = [
  '',
  '-',
  '--last',
  '--sandbox=danger-full-access',
  'latest',
  `${THREAD}\n`,
  ` ${THREAD}`,
  `-${THREAD}`,
  THREAD.toUpperCase(),
  `${THREAD}0`,
  THREAD.slice(1),
  '../../etc/passwd',
];

test('only a UUID is a thread id: nothing else reaches an argument', () => {
  const started = (thread_id: string): string => JSON.stringify({ type: 'thread.started', thread_id });
  expect(read(started(THREAD))).toEqual([{ seq: 7, type: 'thread_started', threadId: THREAD }]);
  expect(notThreads.flatMap((id) => types(started(id)))).toEqual(notThreads.map(() => 'malformed'));
});

test.each<[string, object, object]>([
  [
    'a command that was declined',
    { type: 'command_execution', command: 'rm x', status: 'declined', exit_code: null },
    { type: 'command', command: 'rm x', output: null, exitCode: null, status: 'declined' },
  ],
  [
    'a status of tomorrow, by the phase',
    { type: 'command_execution', command: 'ls', status: 'paused', aggregated_output: 'x', exit_code: 0 },
    { type: 'command', command: 'ls', output: 'x', exitCode: 0, status: 'completed' },
  ],
  [
    'a kind of change of tomorrow',
    { type: 'file_change', changes: [{ path: '/a', kind: 'constructor' }], status: 'failed' },
    { type: 'file_change', changes: [{ path: '/a', kind: 'unknown' }], status: 'failed' },
  ],
  [
    'the error of a tool where there is no result',
    { type: 'mcp_tool_call', server: 's', tool: 't', error: { message: 'boom' }, status: 'failed' },
    { type: 'tool_call', name: 's.t', args: null, result: 'boom', status: 'failed' },
  ],
])('%s is told', (_, fields, expected) => {
  const [event] = read(JSON.stringify({ type: 'item.completed', item: { id: 'item_3', ...fields } }));
  expect(event).toEqual({ seq: 7, id: 'item_3', ...expected });
});

test('text with line separators, a carriage return at the end and a key __proto__ stays itself', () => {
  const line =
    '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"a\u2028b\u2029c"}}\r';
  expect(read(line)).toEqual([{ seq: 7, type: 'message', text: 'a\u2028b\u2029c' }]);
  const polluted = '{"__proto__":{"type":"turn.completed"},"type":"turn.started"}';
  expect(types(polluted)).toEqual(['turn_started']);
  expect(types('{"__proto__":{"type":"turn.completed"}}')).toEqual(['unknown']);
});

test('a completed turn without usage completes, and reports no tokens', () => {
  expect(types('{"type":"turn.completed"}')).toEqual(['turn_completed']);
  expect(types('{"type":"turn.completed","usage":null}')).toEqual(['turn_completed']);
});

test('a line that was too long to be read is malformed, and kept nowhere', () => {
  expect(createCodexParser('0.169.0')({ seq: 7, text: null })).toEqual([
    { seq: 7, type: 'malformed', raw: null },
  ]);
});

test('what a tool was told nests as deep as anybody means it, and can be written as JSON again', () => {
  const args = JSON.parse('['.repeat(450) + ']'.repeat(450));
  const [event] = read(
    JSON.stringify({
      type: 'item.completed',
      item: { id: 'i', type: 'mcp_tool_call', server: 's', tool: 't', arguments: args },
    }),
  );
  expect(event).toMatchObject({ type: 'tool_call', args });
});

describe('the old protocol', () => {
  const said = (msg: object): string => JSON.stringify({ id: '0', msg });
  const begin = (call_id: string, command: unknown): string =>
    said({ type: 'exec_command_begin', call_id, command });
  const end = (call_id: string): string => said({ type: 'exec_command_end', call_id, exit_code: 0 });

  test('with words of a command that are no text loses those words alone', () => {
    const words = ['ls', { toString: 1 }, [[]], null, '-l'];
    expect(read(begin('c', words))).toMatchObject([{ type: 'command', command: 'ls -l' }]);
  });

  test('remembers what has begun, but not for ever and nothing enormous', () => {
    const parser = createCodexParser('0.36.0');
    const told = (text: string): unknown =>
      parser({ seq: 0, text }).map((event) => 'command' in event && event.command);
    parser({ seq: 0, text: begin('big', ['x'.repeat(2 << 20)]) });
    parser({ seq: 0, text: begin('first', ['first']) });
    for (let i = 0; i < 40; i += 1) parser({ seq: 0, text: begin(`c${i}`, [`run ${i}`]) });
    expect([told(end('first')), told(end('c7')), told(end('big'))]).toEqual([['first'], ['run 7'], ['']]);
    for (let i = 0; i < 40; i += 1) parser({ seq: 0, text: begin(`d${i}`, [`run ${i}`]) });
    expect([told(end('first')), told(end('d7'))]).toEqual([[''], ['run 7']]);
  });
});
