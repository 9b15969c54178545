import { expect, test } from 'vitest';
import { stepLine } from '../../../../src/core/conversation/steps.ts';
import type { AgentEvent, StepStatus, Untold } from '../../../../src/core/events.ts';
import { foldWhole, type WholeTurn } from '../../../helpers/fold.ts';

const say = (text: string): Untold => ({ type: 'message', text });
const warn = (message: string): Untold => ({ type: 'warning', message });
const fail = (message: string): Untold => ({ type: 'turn_failed', message });
const retry: Untold = { type: 'retry', message: 'Reconnecting...' };
const done: Untold = { type: 'turn_completed' };
const redundant: Untold = { type: 'redundant' };
const command = (id: string, status: StepStatus, output: string | null = null): Untold => {
  const exitCode = status === 'completed' ? 0 : null;
  return { type: 'command', id, command: `run ${id}`, output, exitCode, status };
};
const fold = (events: readonly Untold[], ended = true): WholeTurn =>
  foldWhole(
    events.map((event, seq) => ({ ...event, seq }) as AgentEvent),
    ended,
  );
const lines = (events: readonly Untold[], ended = true): string[] =>
  fold(events, ended).steps.map((step) =>
    'status' in step ? `${stepLine(step)} ${step.status}` : stepLine(step),
  );

const EMPTY: WholeTurn = {
  threadId: null,
  steps: [],
  messages: [],
  answer: null,
  usage: null,
  terminal: null,
  warnings: [],
  unknown: 0,
  malformed: 0,
};
const thread = (threadId: string): Untold => ({ type: 'thread_started', threadId });
const odd: readonly Untold[] = [
  { type: 'unknown', raw: 'u' },
  { type: 'malformed', raw: 'm' },
  { type: 'malformed', raw: 'm' },
];
const usageOf = (input: number) => ({ input, cachedInput: 0, output: 0, reasoning: null, cumulative: true });
const usage = (input: number): Untold => ({ type: 'usage', usage: usageOf(input) });
const began = command('a', 'in_progress');
const ran = command('a', 'completed');

test.each<[string, readonly Untold[], Partial<WholeTurn>]>([
  ['nothing folds to nothing', [], EMPTY],
  ['what tells nothing, either', [{ type: 'turn_started' }, redundant], EMPTY],
  ['the first thread counts, a forged second one does not', [thread('a'), thread('b')], { threadId: 'a' }],
  ['messages of the same text are all kept', [say('2'), say('2')], { messages: ['2', '2'] }],
  ['there is no answer without a message', [ran], { answer: null }],
  ['the answer is the last of several', [say('one'), ran, say('two')], { answer: 'two' }],
  ['it is kept when the turn failed after it', [say('one'), fail('m')], { answer: 'one' }],
  ['it may be empty', [say('')], { answer: '' }],
  ['the last token report counts', [usage(1), done, usage(2)], { usage: usageOf(2) }],
  ['the last end counts: a failure', [done, fail('m')], { terminal: { kind: 'failed', message: 'm' } }],
  ['the last end counts: success', [fail('m'), done], { terminal: { kind: 'completed' } }],
  ['what cannot be understood is counted', odd, { unknown: 1, malformed: 2, steps: [] }],
  ['a warning stays', [warn('boom')], { warnings: ['boom'] }],
  [
    'one that says the same as the failure is dropped',
    [warn('a'), warn('b'), fail('b')],
    { warnings: ['a'] },
  ],
  ['it stays if the turn went on', [warn('b'), fail('b'), done], { warnings: ['b'] }],
  ['a retry that led to nothing is told', [retry, redundant], { warnings: ['Reconnecting...'] }],
  ['one that helped is not', [retry, say('back')], { warnings: [] }],
])('%s', (_, events, expected) => {
  expect(fold(events)).toMatchObject(expected);
});

test('of more warnings than anybody reads the first thousand are told, and no long one whole', () => {
  const many = Array.from({ length: 1002 }, (_, i) => warn(`${i} ${'x'.repeat(5000)}`));
  const { warnings } = fold(many);
  expect(warnings).toHaveLength(1001);
  expect(Math.max(...warnings.map(({ length }) => length))).toBe(4096);
  expect(warnings.at(-1)).toBe('2 more warnings; they are kept in the log file');
  expect(fold(many.slice(0, 1001)).warnings.at(-1)).toBe('1 more warning; it is kept in the log file');
});

test('a failure of megabytes is whole among the steps, and its announcement is still dropped', () => {
  const long = 'x'.repeat(100_000);
  const { steps, warnings, terminal } = fold([warn(long), fail(long)]);
  expect({ steps, warnings }).toEqual({ steps: [{ type: 'error', message: long }], warnings: [] });
  expect(terminal).toMatchObject({ message: expect.stringMatching(/^x{4095}…$/) });
});

const plan: Untold = { type: 'plan', id: 'a', items: [{ text: 'x', completed: true }] };

test('items are replaced by id in their first place, also out of order, and apart by kind', () => {
  const b = command('b', 'in_progress');
  const events = [began, b, say('meanwhile'), command('b', 'completed', 'B'), ran, plan];
  expect(lines(events)).toEqual(['$ run a completed', '$ run b completed', 'meanwhile', 'plan: 1 of 1 done']);
  expect(fold(events).steps[1]).toMatchObject({ output: 'B', exit_code: 0 });
});

test('what never ended is interrupted once the turn is over, not before', () => {
  expect(lines([began], false)).toEqual(['$ run a in_progress']);
  expect(lines([began], true)).toEqual(['$ run a interrupted']);
});
