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

/** Three turns, the second with two answers; the summary of turn 4 may stand for them; one without a message of the user. */
const WORDS = [
  ...['user 1', 'assistant 1', 'user 2', 'assistant 2', 'assistant 2', 'user 3'],
  ...['assistant 4', 'assistant 5'],
];
const MESSAGES = WORDS.map((content): Message => {
  const [role, turn] = content.split(' ') as [Message['role'], string];
  return { role, content, turn: Number(turn), timestamp: null };
});

function historyOf(parts: readonly string[], options: HistoryOptions = {}) {
  const session = {
    turns: [1, 2, 3, 4, 5].map((turn) => readerOf({ turn }, { messages: MESSAGES })),
    parts: parts.map((word) => ({
      kind: word.startsWith('s') ? ('summary' as const) : ('turn' as const),
      turn: Number(word.replace('s', '')),
    })),
  };
  return history(session, options);
}

const told = (parts: readonly string[], options?: HistoryOptions): string[] =>
  historyOf(parts, options).messages.map(({ content }) => content);

const SUMMARY = ['This is a summary of our conversation so far:\n\nassistant 4', 'I have read the summary.'];

test('of at most so many messages the first is the user’s', () => {
  const from = (most?: number) => WORDS.indexOf(told(['1', '2', '3'], { maxMessages: most })[0] ?? '');
  expect([undefined, 6, 5, 4, 3, 1, 0].map(from)).toEqual([0, 0, 2, 2, 5, 5, -1]);
  expect(told(['1', '2', '3'], { maxMessages: 4 })).toEqual(WORDS.slice(2, -2));
});

test('what was rewound is left out, and a summary stands for what was before', () => {
  expect(told(['1', '3'])).toEqual(['user 1', 'assistant 1', 'user 3']);
  expect(told(['s4'])).toEqual(SUMMARY);
  expect(told(['s4', '3'])).toEqual([...SUMMARY, 'user 3']);
});

test('a summary is kept as long as it fits, and what is left out is counted', () => {
  const within = (options: HistoryOptions) => {
    const { messages, leftOut } = historyOf(['s4', '2', '3'], options);
    const first = messages.slice(0, 2).map(({ content }) => content);
    return [
      SUMMARY.every((text, i) => first[i] === text),
      messages.length,
      leftOut.messages,
      leftOut.summary,
    ];
  };
  expect(within({})).toEqual([true, 6, 0, false]);
  // The answers to a message that does not fit go with it.
  expect(within({ maxMessages: 5 })).toEqual([true, 3, 3, false]);
  expect(within({ maxMessages: 3 })).toEqual([true, 3, 3, false]);
  expect(within({ maxMessages: 2 })).toEqual([true, 2, 4, false]);
  expect(within({ maxMessages: 1 })).toEqual([false, 1, 5, true]);
  const chars = SUMMARY.join('').length;
  expect(within({ maxChars: chars + 'user 3'.length })).toEqual([true, 3, 3, false]);
  expect(within({ maxChars: chars })).toEqual([true, 2, 4, false]);
  expect(within({ maxChars: chars - 1 })).toEqual([false, 4, 2, true]);
  expect(within({ maxChars: 0 })).toEqual([false, 0, 6, true]);
});

test('behind a summary a turn without a message of its own is told whole', () => {
  const answers = [SUMMARY[0], SUMMARY[1], 'assistant 5', 'user 3'];
  expect(told(['s4', '5', '3'])).toEqual(answers);
  expect(told(['s4', '5', '3'], { maxMessages: 3 })).toEqual([...SUMMARY, 'user 3']);
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
