import { expect, test } from 'vitest';
import { createOutcomeFolder, terminalOf } from '../../../../src/core/conversation/outcome.ts';
import type { AgentEvent, Untold } from '../../../../src/core/events.ts';

function outcomeOf(events: readonly Untold[]) {
  const folder = createOutcomeFolder();
  for (const [seq, event] of events.entries()) folder.add({ ...event, seq } as AgentEvent);
  return folder.result(true);
}

test('the outcome of nothing', () => {
  expect(outcomeOf([])).toEqual({
    threadId: null,
    model: null,
    answer: null,
    usage: null,
    terminal: null,
    retries: 0,
    unknown: 0,
    malformed: 0,
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
