import { expect, test } from 'vitest';
import { createStepList, type PlacedStep } from '../../../../src/core/conversation/step-list.ts';
import { stepLine } from '../../../../src/core/conversation/steps.ts';
import type { AgentEvent, StepStatus, UnnumberedEvent, UsageReport } from '../../../../src/core/events.ts';
import { foldWhole, type WholeTurn } from '../../../helpers/fold.ts';
import { fc } from '../../../helpers/fuzz.ts';

const say = (text: string): UnnumberedEvent => ({ type: 'message', text });
const warn = (message: string): UnnumberedEvent => ({ type: 'warning', message });
const fail = (message: string): UnnumberedEvent => ({ type: 'turn_failed', message });
const retry = (message: string): UnnumberedEvent => ({ type: 'retry', message });
const done: UnnumberedEvent = { type: 'turn_completed' };
const redundant: UnnumberedEvent = { type: 'redundant' };
const command = (id: string, status: StepStatus, output: string | null = null): UnnumberedEvent => {
  const exitCode = status === 'completed' ? 0 : null;
  return { type: 'command', id, command: `run ${id}`, output, exitCode, status };
};
const plan = (text: string, completed = false): UnnumberedEvent => {
  return { type: 'plan', id: 'p', items: [{ text, completed }] };
};
const begin = (id: string): UnnumberedEvent => command(id, 'in_progress');
const end = (id: string): UnnumberedEvent => command(id, 'completed');
const numbered = (events: readonly UnnumberedEvent[]): AgentEvent[] =>
  events.map((event, seq) => ({ ...event, seq }) as AgentEvent);
const fold = (events: readonly UnnumberedEvent[], ended = true): WholeTurn =>
  foldWhole(numbered(events), ended);
const lines = (events: readonly UnnumberedEvent[], ended = true): string[] =>
  fold(events, ended).steps.map((step) => `${stepLine(step)}${'status' in step ? ` ${step.status}` : ''}`);

const NOTHING = { threadId: null, answer: null, tokens: null, terminal: null };
const EMPTY = { ...NOTHING, steps: [], messages: [], warnings: [], unknown: 0, malformed: 0 };
const thread = (threadId: string): UnnumberedEvent => ({ type: 'thread_started', threadId });
const odd = ['unknown', 'malformed', 'malformed'].map((type) => ({ type, raw: 'x' }) as UnnumberedEvent);
const tokensOf = (input: number) => ({ input, cachedInput: 0, output: 0, reasoning: null, costUsd: input });
const usage = (input: number, of: UsageReport['of'] = 'thread'): UnnumberedEvent => {
  return { type: 'usage', usage: { ...tokensOf(input), of } };
};
const call = (id: string, input: number): UnnumberedEvent => usage(input, { call: id });
const counted = (input: number, { cumulative = false, partial = false } = {}): Partial<WholeTurn> => {
  return { tokens: { ...tokensOf(input), cumulative, partial } };
};
const begun: UnnumberedEvent = { type: 'turn_started' };
const bySubagent = (text: string): UnnumberedEvent => ({ type: 'message', text, subagent: 'call_1' });
const ran = end('a');
const refuse = (id: string, why: string): UnnumberedEvent =>
  ({ ...command(id, 'failed'), refused: why }) as UnnumberedEvent;

test.each<[string, readonly UnnumberedEvent[], Partial<WholeTurn>]>([
  ['nothing folds to nothing', [], EMPTY],
  ['what tells nothing, either', [redundant], EMPTY],
  ['the first thread counts, a forged second one does not', [thread('a'), thread('b')], { threadId: 'a' }],
  ['messages of the same text are all kept', [say('2'), say('2')], { messages: ['2', '2'] }],
  ['there is no answer without a message', [ran], { answer: null }],
  ['the answer is the last of several', [say('one'), ran, say('two')], { answer: 'two' }],
  ['it is kept when the turn failed after it', [say('one'), fail('m')], { answer: 'one' }],
  ['it may be empty', [say('')], { answer: '' }],
  ['the last total counts', [usage(1), done, usage(2)], counted(2, { cumulative: true })],
  ['what came since the last report is added', [usage(1, 'since_last'), usage(2, 'since_last')], counted(3)],
  [
    'a call is counted once, as it was largest',
    [call('a', 1), call('a', 5), call('b', 2)],
    counted(7, { partial: true }),
  ],
  ['a total includes the calls before it', [call('a', 1), usage(3, 'process')], counted(3)],
  ['those after it are added', [usage(3, 'process'), call('b', 2)], counted(5, { partial: true })],
  ['a subagent gives no answer', [say('one'), bySubagent('two')], { answer: 'one' }],
  ['whoever works again has not ended', [done, begun], { terminal: { kind: 'begun' } }],
  ['the last end counts: a failure', [done, fail('m')], { terminal: { kind: 'failed', message: 'm' } }],
  ['the last end counts: success', [fail('m'), done], { terminal: { kind: 'completed' } }],
  ['what cannot be understood is counted', odd, { unknown: 1, malformed: 2, steps: [] }],
  ['a warning stays', [warn('boom')], { warnings: ['boom'] }],
  ['one is dropped that the failure repeats', [warn('a'), warn('b'), fail('b')], { warnings: ['a'] }],
  ['it stays if the turn went on', [warn('b'), fail('b'), done], { warnings: ['b'] }],
  ['a retry that led to nothing is told', [retry('1/2'), redundant], { warnings: ['1/2'] }],
  ['one that helped is not', [retry('1/2'), say('back')], { warnings: [] }],
  [
    'that no command could begin is told once',
    [begin('b'), refuse('b', 'x'), refuse('c', 'y'), begin('d')],
    { warnings: ['x'] },
  ],
  ['it is not where one has run', [refuse('b', 'x'), ran, refuse('c', 'x')], { warnings: [] }],
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

test('items are replaced by id in their first place, also out of order, and apart by kind', () => {
  const plan: UnnumberedEvent = { type: 'plan', id: 'a', items: [{ text: 'x', completed: true }] };
  const events = [begin('a'), begin('b'), say('meanwhile'), command('b', 'completed', 'B'), ran, plan];
  expect(lines(events)).toEqual(['$ run a completed', '$ run b completed', 'meanwhile', 'plan: 1 of 1 done']);
  expect(fold(events).steps[1]).toMatchObject({ output: 'B', exit_code: 0 });
  expect(lines([begin('a')], false)).toEqual(['$ run a in_progress']);
});

/** What a list tells of each event: the place, an ellipsis while it is open, and the words; a dash for nothing. */
function told(events: readonly UnnumberedEvent[], list = createStepList()): string[] {
  return numbered(events).map((event) => {
    const change = list.add(event);
    return change === null ? '-' : `${change.index}${change.open ? '…' : ''} ${stepLine(change.step)}`;
  });
}

test.each<[string, readonly UnnumberedEvent[], string[]]>([
  ['a step keeps its place', [begin('a'), begin('b'), end('a')], ['0… $ run a', '1… $ run b', '0 $ run a']],
  ['a failure takes the place of its announcement', [warn('boom'), fail('boom')], ['0 boom', '0 boom']],
  ['but not of another', [warn('boom'), say('x'), fail('boom')], ['0 boom', '1 x', '2 boom']],
  ['a retry gives its place up', [retry('1'), retry('2'), say('back')], ['0… 1', '0… 2', '0 back']],
  ['an unchanged plan is not told', [plan('x'), plan('x')], ['0 plan: 0 of 1 done', '-']],
  ['a changed one is', [plan('x'), plan('x', true)], ['0 plan: 0 of 1 done', '0 plan: 1 of 1 done']],
  ['what is no step tells nothing', [{ type: 'turn_started' }, redundant], ['-', '-']],
])('%s', (_, events, expected) => {
  expect(told(events)).toEqual(expected);
});

test('when the turn is over, what never ended was interrupted, and a retry that led to nothing is a step', () => {
  const list = createStepList();
  told([begin('b'), say('x'), begin('a'), retry('1/2')], list);
  const left = list.interrupted().map(({ index, step }) => `${index} ${'status' in step && step.status}`);
  expect(left).toEqual(['0 interrupted', '2 interrupted']);
  expect(list.length()).toBe(4);
  told([done], list);
  expect(list.length()).toBe(3);
});

test('of items that ended long ago nothing is remembered, of one that is under way everything', () => {
  const many = Array.from({ length: 10_001 }, (_, i) => end(`item_${i}`));
  const events = [begin('open'), ...many, end('item_0'), end('item_10000'), end('open')];
  expect(told(events).slice(-3)).toEqual(['10002 $ run item_0', '10001 $ run item_10000', '0 $ run open']);
});

const STATUSES: readonly StepStatus[] = ['in_progress', 'completed', 'failed', 'declined'];
const word = fc.constantFrom('a', 'b', 'c');
const anyEvent: fc.Arbitrary<UnnumberedEvent> = fc.oneof(
  fc.tuple(word, fc.constantFrom(...STATUSES)).map(([id, status]) => command(id, status)),
  fc.tuple(word, fc.boolean()).map(([text, completed]) => plan(text, completed)),
  fc.tuple(word, fc.constantFrom(say, warn, retry, fail)).map(([text, make]) => make(text)),
  fc.constantFrom<UnnumberedEvent>(done, redundant, { type: 'turn_started' }),
);

test('whoever keeps the last that was told of each place has the steps that the whole turn folds to', () => {
  void fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30, size: 'max' }), (events) => {
      const list = createStepList();
      const steps: PlacedStep['step'][] = [];
      for (const event of numbered(events)) {
        const change = list.add(event);
        if (change === null) continue;
        // No place is left out.
        expect(change.index).toBeLessThanOrEqual(steps.length);
        expect(change.index).toBeLessThan(list.length());
        steps[change.index] = change.step;
      }
      for (const { index, step } of list.interrupted()) steps[index] = step;
      expect(steps.slice(0, list.length())).toEqual(foldWhole(numbered(events), true).steps);
    }),
  );
});
