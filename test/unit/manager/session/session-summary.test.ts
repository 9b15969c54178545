import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ManagerContext } from '../../../../src/manager/context.ts';
import { cacheState } from '../../../../src/manager/session/cache-state.ts';
import { readTurns } from '../../../../src/manager/session/session-summary.ts';
import { recordEnd } from '../../../../src/manager/stop/record-exit.ts';
import { claimTurn } from '../../../../src/store/claim.ts';
import { createStoredSession, ID, requestOf } from '../../../helpers/store.ts';

const context = { now: () => Date.now(), newNonce: () => 'unique' } as unknown as ManagerContext;

test('how a session stood before another turn was claimed is not cached', async () => {
  const store = createStoredSession();
  const session = { store, id: ID };
  recordEnd({ ...session, turn: 1 }, { why: 'spawn_error', detail: 'why', cancelled: false });
  const reading = await readTurns(session, Date.now());
  const request = { ...requestOf('mark'), kind: 'rewind', to: 0 } as const;
  claimTurn({ ...session, turn: 2 }, { request, prompt: null });
  expect(cacheState(context, reading)).toBe(false);
  expect(existsSync(join(store.root, 'sessions', ID, 'summary.json'))).toBe(false);
  expect(cacheState(context, await readTurns(session, Date.now()))).toBe(true);
});
