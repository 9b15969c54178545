import { describe, expect, test } from 'vitest';
import { stepLine } from '../../../../src/core/conversation/steps.ts';
import type { AgentEvent, StepStatus, Untold } from '../../../../src/core/events.ts';
import { foldWhole, type WholeTurn } from '../../../helpers/fold.ts';

const say = (text: string): Untold => ({ type: 'message', text });
const warn = (message: string): Untold => ({ type: 'warning', message });
const command = (id: string, status: StepStatus, output: string | null = null): Untold => ({
  type: 'command',
  id,
  command: `run ${id}`,
  output,
  exitCode: status === 'completed' ? 0 : null,
  status,
});
const fold = (events: readonly Untold[], ended = true): WholeTurn =>
  foldWhole(
    events.map((event, seq) => ({ ...event, seq }) as AgentEvent),
    ended,
  );
const lines = (events: readonly Untold[], ended = true): string[] =>
  fold(events, ended).steps.map((step) =>
    'status' in step ? `${stepLine(step)} ${step.status}` : stepLine(step),
  );

test('nothing folds to nothing', () => {
  expect(fold([])).toEqual({
    threadId: null,
    steps: [],
    messages: [],
    answer: null,
    usage: null,
    terminal: null,
    warnings: [],
    unknown: 0,
    malformed: 0,
  });
});

test('of more warnings than anybody reads the first thousand are told, and no long one whole', () => {
  const warn = (message: string): Untold => ({ type: 'warning', message });
  const many = Array.from({ length: 1002 }, (_, i) => warn(`${i} ${'x'.repeat(5000)}`));
  const { warnings } = fold(many);
  expect(warnings).toHaveLength(1001);
  expect(Math.max(...warnings.map(({ length }) => length))).toBe(4096);
  expect(warnings.at(-1)).toBe('2 more warnings; they are kept in the log file');
  expect(fold(many.slice(0, 1001)).warnings.at(-1)).toBe('1 more warning; it is kept in the log file');
  // A failure that was announced is told once, however long it is.
  const failure = 'x'.repeat(5000);
  expect(fold([warn(failure), { type: 'turn_failed', message: failure }]).warnings).toEqual([]);
});

describe('items', () => {
  test('are replaced by id in their first place, also out of order', () => {
    const events = [
      command('a', 'in_progress'),
      command('b', 'in_progress'),
      say('meanwhile'),
      command('b', 'completed', 'B'),
      command('a', 'failed', 'A'),
    ];
    expect(lines(events)).toEqual(['$ run a failed', '$ run b completed', 'meanwhile']);
    expect(fold(events).steps[1]).toMatchObject({ output: 'B', exit_code: 0 });
  });

  test('of different kinds with one id stay apart', () => {
    const plan: Untold = { type: 'plan', id: 'a', items: [{ text: 'x', completed: true }] };
    expect(lines([command('a', 'completed'), plan])).toEqual(['$ run a completed', 'plan: 1 of 1 done']);
  });

  test('that never ended are interrupted once the turn is over, not before', () => {
    const events = [command('a', 'in_progress')];
    expect(lines(events, false)).toEqual(['$ run a in_progress']);
    expect(lines(events, true)).toEqual(['$ run a interrupted']);
  });

  test('messages of the same text are all kept', () => {
    expect(fold([say('twice'), say('twice')]).messages).toEqual(['twice', 'twice']);
  });
});

test.each<[string, readonly Untold[], string | null]>([
  ['none', [command('a', 'completed')], null],
  ['the last of several', [say('one'), command('a', 'completed'), say('two')], 'two'],
  ['kept when the turn failed after it', [say('one'), { type: 'turn_failed', message: 'm' }], 'one'],
  ['empty, but there', [say('')], ''],
])('the answer: %s', (_, events, answer) => {
  expect(fold(events).answer).toBe(answer);
});

describe('warnings', () => {
  const failure: Untold = { type: 'turn_failed', message: 'boom' };
  test('that say the same as the failure are dropped', () => {
    expect(lines([warn('boom'), failure])).toEqual(['boom']);
    expect(fold([warn('careful'), warn('boom'), failure]).warnings).toEqual(['careful']);
  });

  test('stay while there is no failure', () => {
    expect(fold([warn('boom')]).warnings).toEqual(['boom']);
    expect(fold([warn('boom'), failure, { type: 'turn_completed' }]).warnings).toEqual(['boom']);
  });
});

test('the first thread counts, a forged second one does not', () => {
  const thread = (threadId: string): Untold => ({ type: 'thread_started', threadId });
  expect(fold([thread('first'), thread('second')]).threadId).toBe('first');
});

test('the last terminal event and the last token report count', () => {
  const usage = (input: number): Untold => ({
    type: 'usage',
    usage: { input, cachedInput: 0, output: 0, reasoning: null, cumulative: true },
  });
  const done: Untold = { type: 'turn_completed' };
  const failed: Untold = { type: 'turn_failed', message: 'm' };
  expect(fold([usage(1), done, failed, usage(2)])).toMatchObject({
    terminal: { kind: 'failed', message: 'm' },
    usage: { input: 2 },
  });
  expect(fold([failed, done]).terminal).toEqual({ kind: 'completed' });
});

test('what is unknown, malformed or a retry is counted and is no step', () => {
  const odd: Untold[] = [
    { type: 'unknown', raw: 'u' },
    { type: 'malformed', raw: 'm' },
    { type: 'malformed', raw: 'm' },
    { type: 'retry', message: 'Reconnecting...' },
    { type: 'turn_started' },
    { type: 'redundant' },
  ];
  expect(fold(odd)).toMatchObject({ unknown: 1, malformed: 2, steps: [], terminal: null });
});

test('a retry that led to nothing is still told when lines follow that tell nothing', () => {
  const retry: Untold = { type: 'retry', message: 'Reconnecting...' };
  expect(fold([retry, { type: 'redundant' }]).warnings).toEqual(['Reconnecting...']);
  expect(fold([retry, say('back')]).warnings).toEqual([]);
});

test('a failure of megabytes is whole among the steps, and its announcement is still dropped', () => {
  const long = 'x'.repeat(100_000);
  const { steps, warnings, terminal } = fold([warn(long), { type: 'turn_failed', message: long }]);
  expect(steps).toEqual([{ type: 'error', message: long }]);
  expect(warnings).toEqual([]);
  expect(terminal).toMatchObject({ message: expect.stringMatching(/^x{4095}…$/) });
});
