import { describe, expect, test } from 'vitest';
import { randomOf } from '../../../../bench/random.js';
import { messageLine, stepLines } from '../../../../bench/streams.js';
import { codexSieve } from '../../../../src/agents/codex/sieve.ts';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';
import { type Known, SIEVED_BYTES } from '../../../../src/core/events.ts';
import { recordedStreams } from '../../../helpers/fuzz.ts';

const viewOf = (...parts: readonly Buffer[]): DataView =>
  new DataView(new Uint8Array(Buffer.concat(parts)).buffer);

/** For what a line is known; wherever it lies, it must not matter what is around it. */
function knownFor(line: string): Known | null {
  const bytes = Buffer.from(line);
  const alone = codexSieve(viewOf(bytes), 0, bytes.length);
  const [before, after] = [bytes.subarray(0, 40), bytes.subarray(-40)];
  expect(codexSieve(viewOf(before, bytes, before), before.length, before.length + bytes.length)).toBe(alone);
  expect(codexSieve(viewOf(after, bytes, after), after.length, after.length + bytes.length)).toBe(alone);
  return alone;
}

const passes = (line: string): boolean => knownFor(line) === 'step';

const STEPS = ['command', 'file_change', 'tool_call', 'plan', 'reasoning'];
const isStep = (line: string): boolean =>
  createCodexParser('0.169.0')({ seq: 0, text: line }).every(({ type }) => STEPS.includes(type));

/** Steps that are few and short: these are parsed. */
const PARSED = ['web_search', 'collab_tool_call'];
const typeOf = (line: string): string => JSON.parse(line).item.type;

const linesOf = (name: string): string[] =>
  recordedStreams()
    .filter((stream) => stream.name.startsWith(name))
    .flatMap(({ bytes }) => bytes.toString().split('\n'))
    .filter((line) => line !== '');

const random = randomOf(7);
const generated = Array.from({ length: 300 }, (_, i) => stepLines(random, i))
  .join('')
  .split('\n')
  .filter((line) => line !== '' && isStep(line));
const recorded = linesOf('codex-0.169/').filter(isStep);
const usual = [...recorded, ...generated].filter((line) => !PARSED.includes(typeOf(line)));

test('every step that Codex prints is passed over, but for the kinds that are parsed', () => {
  expect(usual.filter((line) => !passes(line))).toEqual([]);
  expect([...new Set(recorded.map(typeOf))].sort()).toEqual(
    [
      ...['collab_tool_call', 'command_execution', 'file_change', 'mcp_tool_call', 'reasoning'],
      ...['todo_list', 'web_search'],
    ].sort(),
  );
  expect(usual.length).toBeGreaterThan(300);
});

test('nothing else is: no message, warning, failure, report of tokens, and nothing that is unknown', () => {
  const others = [...linesOf('codex-'), messageLine('item_1', 'Done.').trimEnd()].filter(
    (line) => !isStep(line),
  );
  expect(others.filter(passes)).toEqual([]);
  expect(others.length).toBeGreaterThan(100);
});

test('no line that was cut is passed over, wherever that was', () => {
  for (const line of [...recorded, ...generated.slice(0, 60)]) {
    const bytes = Buffer.from(line);
    const view = viewOf(bytes);
    for (let cut = 0; cut < bytes.length; cut += 1) {
      if (codexSieve(view, 0, cut)) expect.fail(`passed over: ${bytes.toString('utf8', 0, cut)}`);
    }
  }
});

test('nor is one with another line behind it that says something', () => {
  const said = linesOf('codex-0.169/').filter((line) => !isStep(line));
  const steps = usual.slice(0, 40);
  for (const line of steps) {
    for (const other of said) {
      const glued = line.slice(0, -20) + other;
      if (passes(glued)) expect.fail(`passed over: ${glued}`);
    }
  }
  expect([steps.length, said.length > 50]).toEqual([40, true]);
});

test('no more is looked at of a step than its two ends', () => {
  const output = 'naïve “quoted” \\" text\n'.repeat(400);
  for (const status of ['completed', 'in_progress', 'failed', 'declined']) {
    for (const exit_code of [0, -1, 137, null]) {
      const item = { id: 'item_1', type: 'command_execution', command: 'x', aggregated_output: output };
      const event = { type: 'item.completed', item: { ...item, exit_code, status } };
      const line = Buffer.from(JSON.stringify(event));
      const ends = [line.subarray(0, SIEVED_BYTES), line.subarray(-SIEVED_BYTES)];
      const joined = [ends[0] ?? line, Buffer.alloc(1), ends[1] ?? line];
      expect(codexSieve(viewOf(line), 0, line.length)).toBe('step');
      expect(codexSieve(viewOf(...joined), 0, 2 * SIEVED_BYTES + 1)).toBe('step');
    }
  }
});

describe('a thought or a message, of which every byte is looked at,', () => {
  const HEAD = '{"type":"item.completed","item":{"id":"item_1","type":"';

  test.each([
    ['plain', 'so'],
    ['empty', ''],
    ['with other letters', 'naïve “so” 😀\u2028'],
    ['with every escape', '\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83d'],
    ['as long as a file', 'x\\n'.repeat(100_000)],
  ])('%s, is known', (_, body) => {
    expect(knownFor(`${HEAD}reasoning","text":"${body}"}}`)).toBe('step');
    expect(knownFor(`${HEAD}agent_message","text":"${body}"}}`)).toBe('message');
  });

  test.each([
    ['with a quote', 'a"b'],
    ['with a backslash at its end', 'a\\'],
    ['with an escape that JSON does not have', '\\x41'],
    ['with too few digits', '\\u12'],
    ['with digits that are none', '\\u12g4'],
    ['with a tab', 'a\tb'],
    ['with a NUL', 'a\0b'],
    ['with one more key', '","more":"a'],
    ['cut, with another line behind it', `a${HEAD}agent_message","text":"b`],
  ])('%s, is parsed', (_, body) => {
    expect(knownFor(`${HEAD}reasoning","text":"${body}"}}`)).toBeNull();
    expect(knownFor(`${HEAD}agent_message","text":"${body}"}}`)).toBeNull();
  });

  test('is parsed where only its two ends are at hand', () => {
    const line = Buffer.from(`${HEAD}agent_message","text":"${'x'.repeat(9000)}"}}`);
    const ends = [line.subarray(0, SIEVED_BYTES), Buffer.alloc(1), line.subarray(-SIEVED_BYTES)];
    expect(codexSieve(viewOf(...ends), 0, 2 * SIEVED_BYTES + 1)).toBeNull();
  });
});

describe('what is unusual is parsed', () => {
  const item = { id: 'item_1', type: 'command_execution', command: 'ls', aggregated_output: 'a' };
  const done = { ...item, exit_code: 0, status: 'completed' };
  const line = (inner: object, type = 'item.completed'): string => JSON.stringify({ type, item: inner });

  test('but this is usual', () => {
    expect(passes(line(done))).toBe(true);
  });

  test.each<[string, string]>([
    ['spaces', JSON.stringify({ type: 'item.completed', item: done }, null, 1).replaceAll('\n', '')],
    ['a space at the end', `${line(done)} `],
    ['a line of DOS', `${line(done)}\r`],
    ['another order of keys', line({ status: 'completed', ...item, exit_code: 0 })],
    [
      'the kind before the name',
      line({ type: item.type, id: item.id, command: 'ls', exit_code: 0, status: 'completed' }),
    ],
    ['the item first', JSON.stringify({ item: done, type: 'item.completed' })],
    ['one more key at the end', line({ ...done, more: 1 })],
    ['one more key behind the item', JSON.stringify({ type: 'item.completed', item: done, more: 1 })],
    ['an unknown phase', line(done, 'item.paused')],
    ['an unknown kind', line({ ...done, type: 'command_executions' })],
    ['an unknown status', line({ ...done, status: 'paused' })],
    ['no status', line({ ...item, exit_code: 0 })],
    ['an exit code that is a text', line({ ...item, exit_code: '0', status: 'completed' })],
    ['an exit code that is a list', line({ ...item, exit_code: [0], status: 'completed' })],
    ['an output that is no text', line({ ...done, aggregated_output: { a: 'b' } })],
    ['a command that is no text', line({ ...done, command: ['ls'] })],
    ['a name with an escape', line({ ...done, id: 'a"b' })],
    ['a very long name', line({ ...done, id: 'a'.repeat(65) })],
    [
      'a change of no known kind',
      line({ ...done, type: 'file_change', changes: [{ path: 'a', kind: 'x' }] }),
    ],
    ['no changes', line({ id: 'a', type: 'file_change', changes: [], status: 'completed' })],
    ['no plan', line({ id: 'a', type: 'todo_list', items: [] })],
    ['begin and end in one', '{"type":"item.completed","item":{"id":"a","type":"reasoning","text":"}}'],
    [
      'a command that is its end',
      '{"type":"item.completed","item":{"id":"a","type":"command_execution","command":","exit_code":0,"status":"completed"}}',
    ],
    ['words in front', `Reading … ${line(done)}`],
  ])('%s', (_, text) => {
    expect(passes(text)).toBe(false);
  });
});
