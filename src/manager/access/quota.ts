import { setTimeout as sleep } from 'node:timers/promises';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { Policy } from '../../core/rules/policy.ts';
import { isActive } from '../../core/status.ts';
import { listSessionIds } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { readStateFromRecords } from '../session/current-turn.ts';
import { unlessGone } from '../session/damage.ts';
import { launchOf } from '../turn/turn-stream.ts';
import { callerOf, isUsers } from './caller.ts';

/** A turn that was claimed: of which session, and when. */
interface ClaimedAt {
  readonly id: SessionId;
  readonly at: string;
}

/** A session that counts: its turn runs or is about to. */
interface Live extends ClaimedAt {
  readonly launched: boolean;
  readonly source: string;
}

async function liveOfOthers(context: ManagerContext, store: Store, except: SessionId | null) {
  const live: Live[] = [];
  for (const id of listSessionIds(store.root)) {
    if (id === except) continue;
    const now = await unlessGone(readStateFromRecords({ store, id }, context.now()));
    if (now === null || now.current === null) continue;
    const { verdict, request, runner } = now.current;
    // A turn that waits counts from when it is being launched.
    if (request.queued && runner === null && launchOf(now.current) === null) continue;
    const { source } = now.record;
    // No other caller can begin a turn of the user's own session.
    if (isActive(verdict.status) && !isUsers(source))
      live.push({ id, at: request.at, launched: runner !== null, source });
  }
  return live;
}

/** In the words of the tools: nobody whom a quota concerns uses the command line. */
function noRoom(context: ManagerContext, live: readonly Live[], { maxSessions }: Policy): ZwarmError {
  const { source: mine } = callerOf(context);
  const ids = live.flatMap(({ id, source }) => (source === mine ? [`"${id}"`] : [])).join(', ');
  const wait =
    ids === '' ? 'none of them is yours' : `wait_sessions(ids=[${ids}], mode="any") waits for room`;
  const what = `${live.length} sessions run that were not begun by the user, and no more than ${maxSessions} may`;
  return new ZwarmError(
    'over_quota',
    what,
    `${wait}; queue=true lets it wait for its turn; the user can allow more (max_sessions)`,
  );
}

/** Refuses a turn for which there is no room now, before anything is claimed. @throws ZwarmError `over_quota` */
export async function requireQuota(
  context: ManagerContext,
  store: Store | null,
  limits: Policy | null,
): Promise<void> {
  if (store === null || limits === null) return;
  const live = await liveOfOthers(context, store, null);
  if (live.length >= limits.maxSessions) throw noRoom(context, live, limits);
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
    if (sure >= limits.maxSessions || performance.now() > deadline) throw noRoom(context, live, limits);
    await sleep(LOOK_AGAIN_MS);
  }
}
