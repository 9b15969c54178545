import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../../src/core/ids.ts';
import type { Policy } from '../../../../src/core/rules/policy.ts';
import { requireQuota, requireRoom } from '../../../../src/manager/access/quota.ts';
import type { ManagerContext, Store } from '../../../../src/manager/context.ts';
import { addSession, createEmptyStore, RECORD } from '../../../helpers/store.ts';

const ids = [
  'aaaaaaaaaa',
  'bbbbbbbbbb',
  'cccccccccc',
  'dddddddddd',
] as const as readonly string[] as SessionId[];
const [A, B, C] = ids as [SessionId, SessionId, SessionId];
const context = { now: () => Date.parse(RECORD.created_at) } as ManagerContext;
const limits = (maxSessions: number): Policy => ({ maxSessions }) as Policy;
const full = expect.objectContaining({ code: 'over_quota' });

/** A store in which these sessions are about to run, all claimed at the same time. */
function storeWith(sessions: readonly SessionId[], source = 'mcp:client'): Store {
  const store = createEmptyStore();
  for (const id of sessions) addSession(store, id, { record: { source } });
  return store;
}

const end = (store: Store, id: SessionId): void =>
  rmSync(join(store.root, 'sessions', id), { recursive: true });

test.each([
  [0, 0, false],
  [0, 1, true],
  [1, 1, false],
  [1, 2, true],
  [2, 2, false],
  [3, 2, false],
])('while %i run, of at most %i, there is room for one more: %j', async (running, most, isRoom) => {
  const asked = requireQuota(context, storeWith(ids.slice(0, running)), limits(most));
  await (isRoom ? asked : expect(asked).rejects.toEqual(full));
});

test('the sessions of the user do not count', async () => {
  await requireQuota(context, storeWith(ids, 'user'), limits(1));
});

test('of several that were claimed at once, those that came first have the room', async () => {
  const store = storeWith([A, B, C]);
  const claimed = (id: SessionId, at = RECORD.created_at) => ({ id, at });
  // Ids decide between equal times. The first waits for what the others do.
  const first = requireRoom(context, store, limits(1), claimed(A));
  await expect(requireRoom(context, store, limits(1), claimed(C))).rejects.toEqual(full);
  end(store, C);
  await expect(requireRoom(context, store, limits(1), claimed(B))).rejects.toEqual(full);
  end(store, B);
  await first;
  await requireRoom(context, store, limits(2), claimed(A));
});

test('times come before ids', async () => {
  const store = storeWith([A, B]);
  const later = { id: A, at: new Date(Date.parse(RECORD.created_at) + 1).toISOString() };
  await expect(requireRoom(context, store, limits(1), later)).rejects.toEqual(full);
  const earlier = { id: B, at: new Date(Date.parse(RECORD.created_at) - 1).toISOString() };
  const waiting = requireRoom(context, store, limits(1), earlier);
  end(store, A);
  await waiting;
});

test('as many as may run have room at once', async () => {
  const store = storeWith([A, B]);
  for (const id of [A, B]) await requireRoom(context, store, limits(2), { id, at: RECORD.created_at });
});
