import { expect, test } from 'vitest';
import { withoutMessages } from '../../../../src/core/conversation/session-reader.ts';
import { readerOf, sessionOf } from '../../../helpers/views.ts';

test('the last message of a session is the whole answer of its current turn', () => {
  const turns = ['one', 'two', null].map((answer, i) => readerOf({ turn: i + 1, answer }));
  const last = (turn: number | null) =>
    withoutMessages(sessionOf({ turn, last_message: 'cut …' }, turns)).last_message;
  expect([1, 2, 3, null].map(last)).toEqual(['one', 'two', 'cut …', 'cut …']);
});
