import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/session.ts';
import { history } from '../../../../src/manager/session/read-session.ts';
import { readerOf } from '../../../helpers/views.ts';

/** Three turns, the second with two answers; the summary of turn 4 may stand for them. */
const WORDS = ['user 1', 'assistant 1', 'user 2', 'assistant 2', 'assistant 2', 'user 3', 'assistant 4'];
const MESSAGES = WORDS.map((content): Message => {
  const [role, turn] = content.split(' ') as [Message['role'], string];
  return { role, content, turn: Number(turn), timestamp: null };
});

function told(parts: readonly string[], maxMessages?: number): string[] {
  const session = {
    turns: [1, 2, 3, 4].map((turn) => readerOf({ turn }, { messages: MESSAGES })),
    parts: parts.map((word) => ({
      kind: word.startsWith('s') ? ('summary' as const) : ('turn' as const),
      turn: Number(word.replace('s', '')),
    })),
  };
  return history(session, { maxMessages }).map(({ content }) => content);
}

const WHOLE = WORDS.slice(0, -1);

test.each<[number | undefined, readonly string[]]>([
  [undefined, WHOLE],
  [6, WHOLE],
  // It would begin with an answer: the next words of the user begin it.
  [5, WHOLE.slice(2)],
  [4, WHOLE.slice(2)],
  [3, WHOLE.slice(5)],
  [1, WHOLE.slice(5)],
  [0, []],
])('of at most %s messages the first is the user’s', (maxMessages, expected) => {
  expect(told(['1', '2', '3'], maxMessages)).toEqual(expected);
});

test('what was wound back is left out, and a summary stands for what was before', () => {
  expect(told(['1', '3'])).toEqual(['user 1', 'assistant 1', 'user 3']);
  expect(told(['s4'])).toEqual(['assistant 4']);
});
