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

test('a line reads the same with its keys in another order and with new fields', () => {
  for (const line of ['shell', 'mcp', 'todo-list'].flatMap(linesOf)) {
    const changed = JSON.stringify(shuffled(JSON.parse(line)));
    expect(changed).not.toBe(line);
    expect(withoutFreeForm(read(changed))).toEqual(withoutFreeForm(read(line)));
  }
});

const item = (fields: object): string =>
  JSON.stringify({ type: 'item.completed', item: { id: 'item_0', ...fields } });
const tokens = (input: string): string =>
  `{"type":"turn.completed","usage":{"input_tokens":${input},"cached_input_tokens":0,"output_tokens":0}}`;

test.each([
  ...['{}', '{"type":null}', '{"type":{}}', '{"type":"turn.paused"}', '{"type":"__proto__"}'],
  ...['{"type":"constructor"}', '{"id":"0","msg":null}', '{"id":"0","msg":{"type":"toString"}}'],
  ...['__proto__', 'constructor', 'image_generation'].map((type) => item({ type })),
])('%s is unknown', (text) => {
  expect(read(text)).toEqual([{ seq: 7, type: 'unknown', raw: text }]);
});

test.each([
  ...['null', '17', '"turn.completed"', '[{"type":"turn.completed"}]', '{"type":"turn.comp', '\0\0\0'],
  ...['{"type":"turn.started"}{"type":"turn.started"}', 'Reading prompt from stdin...'],
  ...['{"type":"thread.started"}', '{"type":"thread.started","thread_id":5}', '{"type":"error"}'],
  ...['{"type":"item.completed"}', '{"type":"item.completed","item":null}', '{"type":"turn.failed"}'],
  ...['{"type":"turn.failed","error":"boom"}', '{"type":"turn.completed","usage":"many"}'],
  ...[tokens('-1'), tokens('1.5'), tokens('1e300')],
  '{"type":"item.completed","item":{"type":"agent_message","text":"x"}}',
  ...[{}, { text: null }].map((fields) => item({ type: 'agent_message', ...fields })),
  ...[{ command: ['ls'] }, { command: 'ls', exit_code: '0' }].map((fields) =>
    item({ type: 'command_execution', ...fields }),
  ),
  ...[{}, [null]].map((changes) => item({ type: 'file_change', changes })),
  item({ type: 'reasoning', text: ['a'] }),
  item({ type: 'todo_list' }),
  item({ type: 'mcp_tool_call', tool: 't' }),
])('%s is malformed', (text) => {
  expect(read(text)).toEqual([{ seq: 7, type: 'malformed', raw: text }]);
});

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const call = (args: string): string =>
  item({ type: 'mcp_tool_call', server: 's', tool: 't', arguments: 0 }).replace(':0', `:${args}`);

test.each<[string, string]>([
  ['changes that are none', item({ type: 'file_change', changes: Array(400_000).fill(null) })],
  ['plans that are none', item({ type: 'todo_list', items: Array(200_000).fill({}) })],
  ['nested deeper than any stack', call(deep(100_000))],
  ['nested so from its beginning', `${'{"type":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['nested so and never closed', '['.repeat(100_000)],
  ['more values than any event', item({ type: 'web_search', action: Array(600_000).fill(0) })],
])('what would cost too much is malformed: %s', (_, text) => {
  expect(read(text)).toEqual([{ seq: 7, type: 'malformed', raw: text }]);
  // What a tool was told nests as deep as anybody means it.
  expect(read(call(deep(450)))).toMatchObject([{ type: 'tool_call', args: JSON.parse(deep(450)) }]);
});

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';
const notThreads = [
  ...['', '-', '--last', '--sandbox=danger-full-access', 'latest', '../../etc/passwd', THREAD.toUpperCase()],
  ...[`${THREAD}\n`, ` ${THREAD}`, `-${THREAD}`, `${THREAD}0`, THREAD.slice(1)],
];

test('only a UUID is a thread id: nothing else reaches an argument', () => {
  const started = (thread_id: string): string => JSON.stringify({ type: 'thread.started', thread_id });
  expect(read(started(THREAD))).toEqual([{ seq: 7, type: 'thread_started', threadId: THREAD }]);
  expect(notThreads.flatMap((id) => types(started(id)))).toEqual(notThreads.map(() => 'malformed'));
});

const ran = { type: 'command_execution', command: 'ls', status: 'declined', exit_code: null };
const did = { type: 'command', command: 'ls', output: null, exitCode: null, status: 'declined' };
const changed = (kind: string) => ({
  type: 'file_change',
  changes: [{ path: '/a', kind }],
  status: 'failed',
});
const asked = { type: 'mcp_tool_call', server: 's', tool: 't', error: { message: 'boom' }, status: 'failed' };

test.each<[string, object, object]>([
  ['a command that was declined', ran, did],
  ['a status of tomorrow, by the phase', { ...ran, status: 'paused' }, { ...did, status: 'completed' }],
  ['a kind of change of tomorrow', changed('constructor'), changed('unknown')],
  [
    'the error of a tool where there is no result',
    asked,
    { type: 'tool_call', name: 's.t', args: null, result: 'boom', status: 'failed' },
  ],
])('%s is told', (_, fields, expected) => {
  expect(read(item(fields))).toEqual([{ seq: 7, id: 'item_0', ...expected }]);
});

test('text with line separators, a carriage return at the end and a key __proto__ stays itself', () => {
  const line = item({ type: 'agent_message', text: 'a\u2028b\u2029c' });
  expect(read(`${line}\r`)).toEqual([{ seq: 7, type: 'message', text: 'a\u2028b\u2029c' }]);
  const polluted = '{"__proto__":{"type":"turn.completed"},"type":"turn.started"}';
  expect(types(polluted)).toEqual(['turn_started']);
  expect(types('{"__proto__":{"type":"turn.completed"}}')).toEqual(['unknown']);
});

test('a completed turn without usage reports no tokens; a line too long to be read is malformed', () => {
  expect(types('{"type":"turn.completed"}')).toEqual(['turn_completed']);
  expect(types('{"type":"turn.completed","usage":null}')).toEqual(['turn_completed']);
  const unread = createCodexParser('0.169.0')({ seq: 7, text: null });
  expect(unread).toEqual([{ seq: 7, type: 'malformed', raw: null }]);
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

  test('tells how a file was changed, and does not know what it was not told', () => {
    const changes = {
      '/a': { add: {} },
      '/u': { update: {} },
      '/d': { delete: {} },
      '/r': { rename: {} },
      '/n': null,
    };
    const kinds = { '/a': 'add', '/u': 'update', '/d': 'delete', '/r': 'unknown', '/n': 'unknown' };
    const change = {
      type: 'file_change',
      id: 'c',
      changes: Object.entries(kinds).map(([path, kind]) => ({ path, kind })),
    };
    expect(read(said({ type: 'patch_apply_begin', call_id: 'c', changes }))).toMatchObject([
      { ...change, status: 'in_progress' },
    ]);
    for (const [success, status] of [
      [true, 'completed'],
      [false, 'failed'],
    ] as const)
      expect(read(said({ type: 'patch_apply_end', call_id: 'c', success, changes }))).toMatchObject([
        { ...change, status },
      ]);
    expect(read(said({ type: 'patch_apply_begin', call_id: 'c' }))).toMatchObject([{ changes: [] }]);
    expect(read(said({ type: 'exec_command_end', call_id: 'c' }))).toMatchObject([
      { command: '', exitCode: null, status: 'failed' },
    ]);
    expect(read(said({ type: 'agent_reasoning' }))).toMatchObject([{ type: 'reasoning', text: '' }]);
    expect(read(said({ type: 'plan_update' }))).toMatchObject([{ type: 'plan', items: [] }]);
    expect(
      read(said({ type: 'plan_update', plan: [null, {}, { step: 's', status: 'completed' }] })),
    ).toMatchObject([
      {
        items: [
          { text: '', completed: false },
          { text: 's', completed: true },
        ],
      },
    ]);
  });

  test('says once more what others have said only in words that are known for that', () => {
    const redundant = [
      'agent_reasoning_section_break',
      'exec_command_output_delta',
      'token_count',
      'turn_diff',
    ];
    for (const type of [...redundant, 'web_search_begin']) {
      expect(types(said({ type }))).toEqual(['redundant']);
      for (const other of [`x${type}`, `${type}x`]) expect(types(said({ type: other }))).toEqual(['unknown']);
    }
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
