import { setTimeout as sleep } from 'node:timers/promises';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { Policy } from '../../core/rules/policy.ts';
import { isActive } from '../../core/status.ts';
import { listSessionIds } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { readNow } from '../session/current-turn.ts';
import { unlessGone } from '../session/damage.ts';
import { USER } from './caller.ts';

/** A turn that was claimed: of which session, and when. */
interface ClaimedAt {
  readonly id: SessionId;
  readonly at: string;
}

/** The sessions that count: their turns run or are about to. */
async function liveOfOthers(context: ManagerContext, store: Store, except: SessionId | null) {
  const live: (ClaimedAt & { readonly launched: boolean })[] = [];
  for (const id of listSessionIds(store.root)) {
    if (id === except) continue;
    const now = await unlessGone(readNow({ store, id }, context.now()));
    if (now === null) continue;
    const { verdict, request, runner } = now.current;
    // No other caller can begin a turn of the user's own session.
    if (isActive(verdict.status) && now.record.source !== USER)
      live.push({ id, at: request.at, launched: runner !== null });
  }
  return live;
}

function noRoom(running: number, { maxSessions }: Policy): ZwarmError {
  const what = `${running} sessions run that were not begun by the user, and no more than ${maxSessions} may`;
  const hint = 'wait for one of them, or end one; the user can raise max_sessions';
  return new ZwarmError('over_quota', what, hint);
}

/** Refuses a turn for which there is no room now, before anything is claimed. @throws ZwarmError `over_quota` */
export async function requireQuota(context: ManagerContext, store: Store, limits: Policy): Promise<void> {
  const live = await liveOfOthers(context, store, null);
  if (live.length >= limits.maxSessions) throw noRoom(live.length, limits);
}

const LOOK_AGAIN_MS = 5;
const GIVE_UP_MS = 5000;

/**
 * Refuses a claimed turn for which there is no room. Of several that were claimed at once the first have it. A later one
 * that was begun before it saw them counts, so each waits for what the later ones do. @throws ZwarmError `over_quota`
 */
export async function requireRoom(
  context: ManagerContext,
  store: Store,
  limits: Policy,
  claimed: ClaimedAt,
): Promise<void> {
  const isEarlier = ({ id, at }: ClaimedAt): boolean => `${at} ${id}` < `${claimed.at} ${claimed.id}`;
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const live = await liveOfOthers(context, store, claimed.id);
    if (live.length < limits.maxSessions) return;
    const sure = live.filter((one) => one.launched || isEarlier(one)).length;
    if (sure >= limits.maxSessions || performance.now() > deadline) throw noRoom(live.length, limits);
    await sleep(LOOK_AGAIN_MS);
  }
}
