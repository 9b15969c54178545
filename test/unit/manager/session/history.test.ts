import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/session.ts';
import type { TurnStatus } from '../../../../src/core/status.ts';
import type { TurnKind } from '../../../../src/core/turn-kinds.ts';
import { type HistoryOptions, history } from '../../../../src/manager/session/read-session.ts';
import { lineageTurnOf } from '../../../../src/manager/session/turn-lineage.ts';
import type { TurnReading } from '../../../../src/manager/turn/turn-state.ts';
import { createStoredSession, ID } from '../../../helpers/store.ts';
import { readerOf } from '../../../helpers/views.ts';

/** Three turns, the second with two answers; the summary of turn 4 may stand for them. */
const WORDS = ['user 1', 'assistant 1', 'user 2', 'assistant 2', 'assistant 2', 'user 3', 'assistant 4'];
const MESSAGES = WORDS.map((content): Message => {
  const [role, turn] = content.split(' ') as [Message['role'], string];
  return { role, content, turn: Number(turn), timestamp: null };
});

function told(parts: readonly string[], options: HistoryOptions = {}): string[] {
  const session = {
    turns: [1, 2, 3, 4].map((turn) => readerOf({ turn }, { messages: MESSAGES })),
    parts: parts.map((word) => ({
      kind: word.startsWith('s') ? ('summary' as const) : ('turn' as const),
      turn: Number(word.replace('s', '')),
    })),
  };
  return history(session, options).map(({ content }) => content);
}

test('of at most so many messages the first is the user’s', () => {
  const from = (most?: number) => WORDS.indexOf(told(['1', '2', '3'], { maxMessages: most })[0] ?? '');
  expect([undefined, 6, 5, 4, 3, 1, 0].map(from)).toEqual([0, 0, 2, 2, 5, 5, -1]);
  expect(told(['1', '2', '3'], { maxMessages: 4 })).toEqual(WORDS.slice(2, -1));
});

test('what was wound back is left out, and a summary stands for what was before', () => {
  expect(told(['1', '3'])).toEqual(['user 1', 'assistant 1', 'user 3']);
  const summary = [
    'This is a summary of our conversation so far:\n\nassistant 4',
    'I have read the summary.',
  ];
  expect(told(['s4'])).toEqual(summary);
  expect(told(['s4', '3'])).toEqual([...summary, 'user 3']);
});

test('whatever the budget, the newest messages that fit are told, beginning with the user’s', () => {
  const whole = told(['1', '2', '3']);
  const budget = fc.record({ maxMessages: fc.nat(9), maxChars: fc.nat(80) }, { requiredKeys: [] });
  fc.assert(
    fc.property(budget, (asked) => {
      const some = told(['1', '2', '3'], asked);
      const { maxMessages = 99, maxChars = 999 } = asked;
      const size = (words: readonly string[]) => words.reduce((sum, word) => sum + word.length, 0);
      expect(some).toEqual(whole.slice(whole.length - some.length));
      expect(some.length <= maxMessages && size(some) <= maxChars).toBe(true);
      expect(some[0] ?? 'user').toMatch(/^user/);
      // One exchange more would not fit.
      const more = whole
        .slice(0, whole.length - some.length)
        .findLastIndex((word) => word.startsWith('user'));
      const longer = more < 0 ? [] : whole.slice(more);
      expect(longer.length === 0 || longer.length > maxMessages || size(longer) > maxChars).toBe(true);
    }),
  );
});

test.each<[kind: TurnKind, status: TurnStatus, answer: string | null, summarised: boolean]>([
  ['compact', 'completed', 'the summary', true],
  ['compact', 'completed', null, false],
  ['compact', 'failed', 'half of a summary', false],
  ['compact', 'killed', 'half of a summary', false],
  ['compact', 'running', 'half of a summary', false],
  ['prompt', 'completed', 'an answer', false],
])('a %s turn that is %s and says %j stands for what was before: %j', (kind, status, answer, summarised) => {
  const turn = {
    store: createStoredSession(),
    id: ID,
    turn: 1,
    request: { kind, to: null },
    launch: null,
    adapter: null,
  };
  const reading = { ...turn, verdict: { status }, outcome: { threadId: 'T', answer } } as TurnReading;
  expect(lineageTurnOf(reading)).toMatchObject({ turn: 1, kind, summarised });
});
