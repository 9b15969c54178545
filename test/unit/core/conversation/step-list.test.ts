import { expect, test } from 'vitest';
import { createStepList } from '../../../../src/core/conversation/step-list.ts';
import { stepsInOrder } from '../../../../src/core/conversation/steps-in-order.ts';
import type { AgentEvent, StepStatus, UnnumberedEvent } from '../../../../src/core/events.ts';

const told = (event: UnnumberedEvent): AgentEvent => ({ seq: 0, ...event }) as AgentEvent;
const message = (text: string) => told({ type: 'message', text });
const warning = (text: string) => told({ type: 'warning', message: text });
const failed = (text: string) => told({ type: 'turn_failed', message: text });
const command = (id: string, status: StepStatus) =>
  told({ type: 'command', id, command: id, output: null, exitCode: null, status });

/** The steps of some events, as `place name` with a `…` while one is under way, in the order in which they come. */
function inOrder(events: Iterable<AgentEvent>, ended = true): string[] {
  return [...stepsInOrder(createStepList(), events, ended)].map(({ index, step, open }) => {
    const name = { message: 'content', warning: 'message', error: 'message', command: 'command' }[
      step.type as string
    ];
    const status = 'status' in step && step.status === 'interrupted' ? '!' : '';
    return `${index} ${name === undefined ? step.type : Reflect.get(step, name)}${status}${open ? '…' : ''}`;
  });
}

test('a failure says once more what the warning before it said, and nothing else does', () => {
  expect(inOrder([warning('w'), failed('w')])).toEqual(['0 w']);
  expect(inOrder([warning('w'), warning('w')])).toEqual(['0 w', '1 w']);
  expect(inOrder([warning('w'), failed('other')])).toEqual(['0 w', '1 other']);
  expect(inOrder([warning('w'), message('m'), failed('w')])).toEqual(['0 w', '1 m', '2 w']);
  expect(inOrder([message('w'), failed('w')])).toEqual(['0 w', '1 w']);
});

test('an item that comes again takes its place, however many have come since', () => {
  const [first, others] = ['first', Array.from({ length: 7000 }, (_, i) => `c${i}`)];
  const list = createStepList();
  for (const id of [first, ...others]) list.add(command(id, 'completed'));
  expect(list.add(command(first, 'failed'))).toMatchObject({ index: 0 });
  expect(list.add(command('c6999', 'failed'))).toMatchObject({ index: 7000 });
  expect(list.length()).toBe(7001);
});

test('what never ended was interrupted once the turn is over, and is under way before', () => {
  const events = [command('a', 'in_progress'), message('m'), command('b', 'in_progress')];
  expect(inOrder(events)).toEqual(['0 a!', '1 m', '2 b!']);
  expect(inOrder(events, false)).toEqual(['0 a…', '1 m', '2 b…']);
});

test('a step comes when the next one has, and waits behind one that is under way', () => {
  const events = [
    command('a', 'in_progress'),
    message('m'),
    command('a', 'completed'),
    message('n'),
    message('o'),
  ];
  const seen: (number | string)[] = [];
  function* spied(): Generator<AgentEvent> {
    for (const [i, event] of events.entries()) {
      seen.push(i);
      yield event;
    }
  }
  for (const { index } of stepsInOrder(createStepList(), spied(), true)) seen.push(`step ${index}`);
  expect(seen).toEqual([0, 1, 2, 'step 0', 3, 'step 1', 4, 'step 2', 'step 3']);
});

test('no more than a hundred steps wait behind one that does not end', () => {
  const messages = Array.from({ length: 150 }, (_, i) => message(`m${i}`));
  const events = [command('a', 'in_progress'), ...messages, command('a', 'completed')];
  const steps = inOrder(events);
  expect([steps[0], steps[1]]).toEqual(['0 a…', '1 m0']);
  expect(steps.indexOf('0 a')).toBeGreaterThan(100);
  const few = [command('a', 'in_progress'), ...messages.slice(0, 99), command('a', 'completed')];
  expect(inOrder(few)[0]).toBe('0 a');
});
