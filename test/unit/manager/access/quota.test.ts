import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SessionId } from '../../../../src/core/ids.ts';
import type { Policy } from '../../../../src/core/rules/policy.ts';
import { requireQuota, requireRoom } from '../../../../src/manager/access/quota.ts';
import type { ManagerContext, Store } from '../../../../src/manager/context.ts';
import { createShellProject } from '../../../helpers/project.ts';
import { addSession, createEmptyStore, RECORD, storeOf } from '../../../helpers/store.ts';
import { managerOf } from '../../../helpers/tools-in-process.ts';

const ids = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(10)) as SessionId[];
const [A, B, C] = ids as [SessionId, SessionId, SessionId];
const asking = { env: {}, client: 'mcp:client' };
const context = { ...asking, now: () => Date.parse(RECORD.created_at) } as unknown as ManagerContext;
const limits = (maxSessions: number): Policy => ({ maxSessions }) as Policy;
const claimed = (id: SessionId, laterMs = 0) => ({ id, at: new Date(context.now() + laterMs).toISOString() });
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

test('who has no room hears which of its own sessions it can wait for', async () => {
  const store = storeWith([A, C]);
  addSession(store, B, { record: { source: 'mcp:another' } });
  await expect(requireQuota(context, store, limits(3))).rejects.toMatchObject({
    message: '3 sessions run that were not begun by the user, and no more than 3 may',
    hint: `wait_sessions(ids=["${A}", "${C}"], mode="any") waits for room; queue=true lets it wait for its turn; the user can allow more (max_sessions)`,
  });
  await expect(requireQuota(context, storeWith([A], 'mcp:another'), limits(1))).rejects.toMatchObject({
    hint: 'none of them is yours; queue=true lets it wait for its turn; the user can allow more (max_sessions)',
  });
});

test('of several that were claimed at once, those that came first have the room', async () => {
  const store = storeWith([A, B, C]);
  // Ids decide between equal times. The first waits for what the others do.
  const first = requireRoom(context, store, limits(1), claimed(A));
  await expect(requireRoom(context, store, limits(1), claimed(C))).rejects.toEqual(full);
  end(store, C);
  await expect(requireRoom(context, store, limits(1), claimed(B))).rejects.toEqual(full);
  end(store, B);
  await first;
  const two = storeWith([A, B]);
  for (const id of [A, B]) await requireRoom(context, two, limits(2), claimed(id));
  // Times come before ids.
  await expect(requireRoom(context, two, limits(1), claimed(A, 1))).rejects.toEqual(full);
  const waiting = requireRoom(context, two, limits(1), claimed(B, -1));
  end(two, A);
  await waiting;
});

test('one that was claimed later and runs already has its room, and nobody waits for ever', async () => {
  const project = createShellProject();
  const store = storeOf(project.state, project.directory);
  await managerOf(project, 'client').start({ task: 'hang' });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void clock.mockRestore());
  // Its clock stands still: it would wait.
  const today = { ...context, now: Date.now };
  await expect(requireRoom(today, store, limits(1), claimed(A))).rejects.toEqual(full);
  clock.mockReturnValueOnce(0).mockReturnValue(5001);
  await expect(requireRoom(context, storeWith([B]), limits(1), claimed(A))).rejects.toEqual(full);
});
