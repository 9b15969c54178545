import { expect, test } from 'vitest';
import { createStepList, type PlacedStep } from '../../../../src/core/conversation/step-list.ts';
import { stepLine } from '../../../../src/core/conversation/steps.ts';
import type { AgentEvent, StepStatus, Untold } from '../../../../src/core/events.ts';
import { foldWhole } from '../../../helpers/fold.ts';
import { fc } from '../../../helpers/fuzz.ts';

const say = (text: string): Untold => ({ type: 'message', text });
const warn = (message: string): Untold => ({ type: 'warning', message });
const retry = (message: string): Untold => ({ type: 'retry', message });
const fail = (message: string): Untold => ({ type: 'turn_failed', message });
const plan = (text: string, completed = false): Untold => ({
  type: 'plan',
  id: 'p',
  items: [{ text, completed }],
});
const command = (id: string, status: StepStatus): Untold => {
  return { type: 'command', id, command: id, output: null, exitCode: null, status };
};
const begin = (id: string): Untold => command(id, 'in_progress');
const end = (id: string): Untold => command(id, 'completed');

const numbered = (events: readonly Untold[]): AgentEvent[] =>
  events.map((event, seq) => ({ ...event, seq }) as AgentEvent);

/** What a list tells of each event: the place, an ellipsis while it is open, and the words; a dash for nothing. */
function told(events: readonly Untold[], list = createStepList()): string[] {
  return numbered(events).map((event) => {
    const change = list.add(event);
    return change === null ? '-' : `${change.index}${change.open ? '…' : ''} ${stepLine(change.step)}`;
  });
}

test.each<[string, readonly Untold[], string[]]>([
  ['a step is told in its place', [begin('a'), begin('b'), end('a')], ['0… $ a', '1… $ b', '0 $ a']],
  ['a failure takes the place of its announcement', [warn('boom'), fail('boom')], ['0 boom', '0 boom']],
  ['but not of another', [warn('boom'), say('x'), fail('boom')], ['0 boom', '1 x', '2 boom']],
  ['a retry gives its place up', [retry('1'), retry('2'), say('back')], ['0… 1', '0… 2', '0 back']],
  [
    'an unchanged plan is not told',
    [plan('x'), plan('x'), plan('x', true)],
    ['0 plan: 0 of 1 done', '-', '0 plan: 1 of 1 done'],
  ],
  ['what is no step tells nothing', [{ type: 'turn_started' }, { type: 'redundant' }], ['-', '-']],
])('%s', (_, events, expected) => {
  expect(told(events)).toEqual(expected);
});

test('when the turn is over, what never ended was interrupted, and a retry that led to nothing is a step', () => {
  const list = createStepList();
  told([begin('b'), say('x'), begin('a'), retry('1/2')], list);
  const left = list.interrupted().map(({ index, step }) => `${index} ${'status' in step && step.status}`);
  expect(left).toEqual(['0 interrupted', '2 interrupted']);
  expect(list.length()).toBe(4);
  list.add({ seq: 4, type: 'turn_completed' });
  expect(list.length()).toBe(3);
});

test('of items that ended long ago nothing is remembered, of one that is under way everything', () => {
  const many = Array.from({ length: 10_001 }, (_, i) => end(`item_${i}`));
  const events = [begin('open'), ...many, end('item_0'), end('item_10000'), end('open')];
  expect(told(events).slice(-3)).toEqual(['10002 $ item_0', '10001 $ item_10000', '0 $ open']);
});

const STATUSES: readonly StepStatus[] = ['in_progress', 'completed', 'failed', 'declined'];
const word = fc.constantFrom('a', 'b', 'c');
const anyEvent: fc.Arbitrary<Untold> = fc.oneof(
  fc.tuple(word, fc.constantFrom(...STATUSES)).map(([id, status]) => command(id, status)),
  fc.tuple(word, fc.boolean()).map(([text, completed]) => plan(text, completed)),
  fc.tuple(word, fc.constantFrom(say, warn, retry, fail)).map(([text, make]) => make(text)),
  fc.constantFrom<Untold>({ type: 'turn_completed' }, { type: 'redundant' }, { type: 'turn_started' }),
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
