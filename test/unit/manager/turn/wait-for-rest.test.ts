import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TurnStatus } from '../../../../src/core/status.ts';
import type { TurnState } from '../../../../src/manager/turn/turn-state.ts';
import { waitForRest } from '../../../../src/manager/turn/wait-for-rest.ts';
import { createStoredSession, ID, requestOf } from '../../../helpers/store.ts';

const never = new AbortController().signal;

/** A session whose first turn is in each of these states, one look after the other. */
function turnOf(...statuses: TurnStatus[]) {
  const { root } = createStoredSession();
  const said: string[] = [];
  const look = async (): Promise<TurnState> => {
    const status = (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 'lost';
    said.push(status);
    const request = requestOf('first');
    return { store: { root }, id: ID, turn: 1, runner: null, request, verdict: { status } } as TurnState;
  };
  const prepare = async (): Promise<void> => void said.push('prepared');
  return { directory: join(root, 'sessions', ID, 'turns/1'), said, look, prepare };
}

test('what the end needs is prepared before the wait, once', async () => {
  const { directory, said, look, prepare } = turnOf('running', 'running', 'running', 'completed');
  const waiting = waitForRest(look, never, async () => {
    await prepare();
    // From now on a change is seen.
    setImmediate(() => mkdirSync(join(directory, 'change')));
  });
  expect((await waiting).verdict.status).toBe('completed');
  expect(said).toEqual(['running', 'prepared', 'running', 'running', 'completed']);
});

test('nothing is prepared for what has ended, and what runs elsewhere is not waited for', async () => {
  const { said, look, prepare } = turnOf('failed');
  await waitForRest(look, never, prepare);
  expect(said).toEqual(['failed']);
  const elsewhere = waitForRest(turnOf('running', 'unknown').look, never);
  await expect(elsewhere).rejects.toMatchObject({ code: 'unknown_liveness' });
});

test('an end between the first look and the watch is not missed', async () => {
  const { directory, said, look, prepare } = turnOf('running', 'completed');
  writeFileSync(join(directory, 'exit.json'), '');
  await waitForRest(look, never, prepare);
  expect(said).toEqual(['running', 'prepared', 'completed']);
});
