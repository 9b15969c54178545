import { expect, test } from 'vitest';
import { createOutcomeFolder, joinOutcomes, terminalOf } from '../../../../src/core/conversation/outcome.ts';
import type { AgentEvent, Untold } from '../../../../src/core/events.ts';

function outcomeOf(events: readonly Untold[]) {
  const folder = createOutcomeFolder();
  for (const [seq, event] of events.entries()) folder.add({ ...event, seq } as AgentEvent);
  return folder.result(true);
}

test('the outcome of nothing', () => {
  expect(outcomeOf([])).toEqual({
    threadId: null,
    answer: null,
    usage: null,
    terminal: null,
  });
});

test('of what an agent says only the last message counts, and no more of it than a list shows', () => {
  const say = (text: string): Untold => ({ type: 'message', text });
  expect(outcomeOf([say('first'), say('x'.repeat(1_000_000))]).answer).toBe(`${'x'.repeat(499)}…`);
  expect(outcomeOf([say('first'), say('last'), { type: 'reasoning', text: 'hm' }]).answer).toBe('last');
});

test('a failure is told in at most 4,096 characters', () => {
  const failed = (message: string): Untold => ({ type: 'turn_failed', message });
  expect(outcomeOf([failed('x'.repeat(1_000_000))]).terminal).toEqual({
    kind: 'failed',
    message: `${'x'.repeat(4095)}…`,
  });
  expect(terminalOf({ seq: 0, type: 'turn_failed', message: 'boom' })).toEqual({
    kind: 'failed',
    message: 'boom',
  });
  expect(terminalOf({ seq: 0, type: 'message', text: 'turn.completed' })).toBeNull();
});

test('the outcome of two parts is that of the whole: the first name of the thread, the last of everything else', () => {
  const all: Untold[] = [
    { type: 'thread_started', threadId: 'first', model: null },
    { type: 'message', text: 'one' },
    { type: 'turn_failed', message: 'no' },
    { type: 'thread_started', threadId: 'second', model: null },
    { type: 'message', text: '' },
    { type: 'turn_completed' },
    { type: 'reasoning', text: 'hm' },
  ];
  for (let cut = 0; cut <= all.length; cut += 1) {
    const joined = joinOutcomes(outcomeOf(all.slice(0, cut)), outcomeOf(all.slice(cut)));
    expect(joined).toEqual(outcomeOf(all));
  }
});
