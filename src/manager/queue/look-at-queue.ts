import type { Pending } from '../../core/rules/queue.ts';
import { isAtRest, isFinal } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { livenessOf, ownIdentity } from '../../process/identity.ts';
import { claimerOfPlace, leaveQueue, type Place, readQueue } from '../../store/queue.ts';
import { hasQueue, hasTurn } from '../../store/sessions.ts';
import type { ManagerContext, Store, Turn } from '../context.ts';
import { forgetEnvironment } from '../launch/environment.ts';
import { giveBack, maxRunningOf, slotFor } from '../launch/take-slot.ts';
import { holdOf } from '../session/account.ts';
import { readStateFromRecords, type SessionNow } from '../session/current-turn.ts';
import { unlessGone } from '../session/damage.ts';
import { type Known, nothingKnown, whyWaits } from '../session/waiting.ts';
import { type SlotNow, slotsNow } from '../turn/slot-holders.ts';
import { adapterOf, readTurnState, type TurnState } from '../turn/turn-state.ts';
import { afterEnds } from './after-end.ts';
import { launchQueued } from './launch-queued.ts';
import { notificationOf, notify } from './notify.ts';

/** A turn that has a place in the queue, and its session. */
interface Waiting {
  readonly now: SessionNow;
  readonly current: TurnState;
}

/** One look at the queue: how many may run at once (null: any number), and what was found out during it. */
interface Look {
  readonly max: number | null;
  readonly known: Known;
}

/** The turn of a place where nothing of its session comes first, else null; `gone` where it waits no longer. */
async function nextOf(context: ManagerContext, place: Place<Store>): Promise<Waiting | 'gone' | null> {
  // Before the look at the turn: whoever dies may have claimed it by then.
  const claimer = claimerOfPlace(place);
  const isClaimed = claimer !== null && livenessOf(claimer) !== 'no';
  if (!hasTurn(place)) return isClaimed ? null : 'gone';
  const current = await readTurnState(place, null, context.now());
  if (current.runner !== null || isFinal(current.verdict.status)) return 'gone';
  const now = await unlessGone(readStateFromRecords(place, context.now()));
  if (now === null || now.behind.some(({ turn }) => turn === place.turn)) return null;
  const status = now.current?.verdict.status ?? 'ready';
  const isFirst = now.current?.turn === place.turn || isAtRest(status);
  return isFirst ? { now, current: { ...current, adapter: adapterOf(now.record, current.request) } } : null;
}

/** The turns of its session and of those that it waited for whose ends let a turn begin. */
function turnsBefore({ turns }: SessionNow, { store, id, turn, request }: TurnState): readonly Turn[] {
  const earlier = turns.findLast((number) => number < turn);
  return [
    ...request.after.map((after) => ({ store, ...after })),
    ...(earlier === undefined ? [] : [{ store, id, turn: earlier }]),
  ];
}

/** Starts a turn if its time has come and there is room: whether it has begun, is `crowded` out, or until when it waits. */
async function tryToStart(
  context: ManagerContext,
  { now, current }: Waiting,
  { max, known }: Look,
): Promise<boolean | 'crowded' | Pending> {
  const why = await whyWaits(current, null, context.now(), known);
  if (why !== null) return why.not_before !== null && why;
  // Whether its account can be used is told by the ends of those that made room for it.
  const holdAfter = async (ended: readonly Turn[]): Promise<Pending | null> => {
    await afterEnds(context, ended);
    return holdOf(current, context.now());
  };
  const hold = await holdAfter(turnsBefore(now, current));
  if (hold !== null) return hold;
  const slot = max === null ? null : await slotFor(context, current, max);
  if (max !== null && slot === null) return 'crowded';
  const late = slot === null || slot.last === null ? null : await holdAfter([slot.last]);
  if (slot !== null && late !== null) {
    giveBack(context, current, slot);
    return late;
  }
  const hasBegun = await launchQueued(context, now, current);
  if (hasBegun !== true && slot !== null) giveBack(context, current, slot);
  return hasBegun;
}

/** The turns that have places among those that run. */
const ownersIn = (slots: readonly SlotNow[]): ReadonlySet<string> =>
  new Set(slots.flatMap(({ turn }) => (turn === null ? [] : `${turn.id}.${turn.turn}`)));

/** What a look at the queue of a store has come to. */
interface Looked {
  readonly begun: readonly TurnState[];
  /** When something of it has to be looked at again (ms since the epoch); infinite where that is not known. */
  readonly wakeMs: number;
}

/** Starts what waits in a store and may begin, in the order in which it came. */
export async function lookAtQueue(context: ManagerContext, store: Store): Promise<Looked> {
  const begun: TurnState[] = [];
  let wakeMs = Number.POSITIVE_INFINITY;
  const look: Look = { max: await maxRunningOf(context, store), known: nothingKnown() };
  // What failed before this look may hold an account.
  const running = (): ReturnType<typeof slotsNow> => slotsNow(store, context.now());
  await afterEnds(
    context,
    (await running()).flatMap(({ turn }) => turn ?? []),
  );
  // In its old directory nothing can run, and another one may be there: what is begun where it is now begins what waits.
  if (store.isGone) return { begun, wakeMs };
  // Once there is no room: a turn that has its place already was left by a launcher that died.
  let owners: ReadonlySet<string> | null = null;
  for (const place of readQueue(store)) {
    if (owners !== null && !owners.has(`${place.id}.${place.turn}`)) continue;
    const waiting = await nextOf(context, place);
    if (waiting === null) continue;
    if (waiting === 'gone') {
      if (hasTurn(place)) forgetEnvironment(place);
    } else {
      const hasBegun = await tryToStart(context, waiting, look);
      if (hasBegun === 'crowded') owners ??= ownersIn(await running());
      if (typeof hasBegun === 'object') wakeMs = Math.min(wakeMs, parseIso(hasBegun.not_before) ?? wakeMs);
      if (hasBegun !== true) continue;
      begun.push(waiting.current);
    }
    leaveQueue(place);
  }
  await tellIfEmpty(context, store, begun.at(-1));
  return { begun, wakeMs };
}

/** Tells the user where the last turn that waited has begun; not in the command by which they have queued it. */
async function tellIfEmpty(
  context: ManagerContext,
  store: Store,
  last: TurnState | undefined,
): Promise<void> {
  if (last === undefined || hasQueue(store)) return;
  const [own, { claimer }] = [ownIdentity(), last.request];
  if (claimer.pid === own.pid && claimer.start === own.start) return;
  await notify(context, store, [notificationOf(context, last, 'queue_empty')]);
}
