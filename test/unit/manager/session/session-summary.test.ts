import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionId } from '../../../../src/core/ids.ts';
import { markOfTurn } from '../../../../src/core/turn-mark.ts';
import type { ManagerContext } from '../../../../src/manager/context.ts';
import { cacheState } from '../../../../src/manager/session/cache-state.ts';
import {
  computeListedTogether,
  readSessionFromStreams,
} from '../../../../src/manager/session/session-summary.ts';
import { recordEnd } from '../../../../src/manager/stop/record-exit.ts';
import { claimTurn } from '../../../../src/store/claim.ts';
import { turnFile } from '../../../../src/store/layout.ts';
import { readRequest } from '../../../../src/store/sessions.ts';
import {
  addSession,
  createEmptyStore,
  createStoredSession,
  DEAD,
  ID,
  requestOf,
  runnerStat,
} from '../../../helpers/store.ts';

const context = { now: () => Date.now(), newNonce: () => 'unique' } as unknown as ManagerContext;

test('how a session stood before another turn was claimed is not cached', async () => {
  const store = createStoredSession();
  const session = { store, id: ID };
  recordEnd({ ...session, turn: 1 }, { why: 'spawn_error', detail: 'why', cancelled: false });
  const reading = await readSessionFromStreams(session, Date.now());
  const request = { ...requestOf('mark'), kind: 'rewind', to: 0 } as const;
  claimTurn({ ...session, turn: 2 }, { request, prompt: null });
  expect(cacheState(context, reading)).toBe(false);
  expect(existsSync(join(store.root, 'sessions', ID, 'summary.json'))).toBe(false);
  expect(cacheState(context, await readSessionFromStreams(session, Date.now()))).toBe(true);
});

test('what is launched after the look at the processes is not lost', async () => {
  const store = createEmptyStore();
  const lost = { store, id: ID };
  const late = { store, id: 'lmnpqrstuv' as SessionId };
  for (const session of [lost, late]) {
    addSession(store, session.id);
    writeFileSync(turnFile({ ...session, turn: 1 }, 'runner'), runnerStat(DEAD));
  }
  function* sessions() {
    yield lost;
    // Its runner was killed, its agent lives.
    const turn = { ...late, turn: 1 };
    const env = {
      PATH: process.env['PATH'],
      ZWARM_MARK: markOfTurn(turn, readRequest(turn).nonce),
    };
    const { stdout } = spawnSync('/bin/sh', ['-c', 'sleep 600 > /dev/null 2>&1 & echo $!'], {
      env,
      encoding: 'utf8',
    });
    onTestFinished(() => void process.kill(Number(stdout), 'SIGKILL'));
    yield late;
  }
  const found: unknown[] = [];
  for await (const [{ id }, listed] of computeListedTogether(sessions(), Date.now()))
    found.push([id, listed?.status]);
  expect(found).toEqual([
    [lost.id, 'lost'],
    [late.id, 'running'],
  ]);
});
