import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ownIdentity } from '../../../src/process/identity.ts';
import { claimTurn } from '../../../src/store/claim.ts';
import { queueDir } from '../../../src/store/layout.ts';
import { claimInQueue } from '../../../src/store/queue.ts';
import { readPrompt } from '../../../src/store/sessions.ts';
import { createStoredSession, ID, requestOf } from '../../helpers/store.ts';
import { meanwhile } from './syscalls.ts';

test('of two that take the same place for a turn one gets the turn, and the other leaves no place', () => {
  const turn = { store: createStoredSession(), id: ID, turn: 2 };
  const claim = (word: string): void =>
    claimInQueue(turn, ownIdentity(), () =>
      claimTurn(turn, { request: requestOf(word), prompt: Buffer.from(word) }),
    );
  meanwhile(/^open .*\/queue\/0000000001-/, () => claim('theirs'));
  expect(() => claim('mine')).toThrow(expect.objectContaining({ code: 'lost_race' }));
  expect(readPrompt(turn)?.toString()).toBe('theirs');
  expect(readdirSync(queueDir(turn.store.root))).toEqual([`0000000001-${ID}.2`]);
});
