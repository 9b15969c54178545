import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SessionId } from '../../../../src/core/ids.ts';
import type { Policy } from '../../../../src/core/rules/policy.ts';
import { requireQuota, requireRoom } from '../../../../src/manager/access/quota.ts';
import type { ManagerContext, Store } from '../../../../src/manager/context.ts';
import { createShellProject } from '../../../helpers/shell-project.ts';
import { addSession, createEmptyStore, RECORD, storeOf } from '../../../helpers/store.ts';
import { managerOf } from '../../../helpers/tools-in-process.ts';

const ids = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(10)) as SessionId[];
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

test('while fewer run than may, there is room for one more; those of the user do not count', async () => {
  for (const most of [0, 1, 2])
    for (const running of [0, 1, 2, 3]) {
      const asked = requireQuota(context, storeWith(ids.slice(0, running)), limits(most));
      await (running < most ? asked : expect(asked).rejects.toEqual(full));
    }
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

test('one that was claimed later and runs already has its room, and nobody waits for ever', async () => {
  const project = createShellProject();
  const store = storeOf(project.state, project.directory);
  await managerOf(project, 'client').start({ task: 'hang' });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void clock.mockRestore());
  // Its clock stands still: it would wait.
  await expect(
    requireRoom({ now: Date.now } as ManagerContext, store, limits(1), { id: A, at: RECORD.created_at }),
  ).rejects.toEqual(full);
  clock.mockReturnValueOnce(0).mockReturnValue(5001);
  await expect(
    requireRoom(context, storeWith([B]), limits(1), { id: A, at: RECORD.created_at }),
  ).rejects.toEqual(full);
});

test('as many as may run have room at once', async () => {
  const store = storeWith([A, B]);
  for (const id of [A, B]) await requireRoom(context, store, limits(2), { id, at: RECORD.created_at });
});
