import { setTimeout as sleep } from 'node:timers/promises';
import { isAtWork, ownIdentity } from '../../process/identity.ts';
import { fulfil, isWished, putWish, wishesIn } from '../../store/dispatchers.ts';
import {
  claimGeneration,
  type Generation,
  giveUpGeneration,
  readGeneration,
} from '../../store/generations.ts';
import { dispatchersDir } from '../../store/layout.ts';
import { readQueue } from '../../store/queue.ts';
import { readRunner } from '../../store/sessions.ts';
import type { ManagerContext, Store, Turn } from '../context.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { lookAtQueue } from './look-at-queue.ts';
import { runBeside } from './run-beside.ts';

/*
 * One process at a time starts what waits in a store: the ends of many turns at once would only be in each other's way. It
 * is no lock: who has the right to start a turn is decided by its place, its slot and its launch.
 */

/** How long a command relies on another process that looks at the queue: that one may hang. */
const PATIENCE_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/** Whether a process looks at the queue: not one that was halted meanwhile. */
const isLookedAt = ({ claimer }: Generation): boolean => claimer !== null && isAtWork(claimer);

/** Looks at the queue of a store; the turns that have begun, or null where another process looks at it. @throws ZwarmError */
async function look(
  context: ManagerContext,
  store: Store,
  isPatient = true,
): Promise<readonly TurnState[] | null> {
  const dispatchers = dispatchersDir(store.root);
  const newest = readGeneration(dispatchers);
  if (isPatient && isLookedAt(newest)) return null;
  const mine = claimGeneration(dispatchers, newest, ownIdentity(), context.newNonce());
  if (mine === null) return null;
  try {
    // Before the look: a later wish is for what may have come too late for it.
    const wishes = wishesIn(store.root);
    const { begun, wakeMs } = await lookAtQueue(context, store);
    if (wakeMs < Number.POSITIVE_INFINITY)
      await (await import('./waker.ts')).wakeAt(context, store.state, wakeMs);
    for (const wish of wishes) fulfil(wish);
    return begun;
  } finally {
    giveUpGeneration(mine);
  }
}

/** Leaves what others have wished meanwhile, and relied on us for, to a process of its own. */
async function handOver(context: ManagerContext, { root, state }: Store): Promise<void> {
  if (wishesIn(root).length === 0 || isLookedAt(readGeneration(dispatchersDir(root)))) return;
  await runBeside(context, state, 'dispatch');
}

/** What a command has come to that had the queue of a store looked at. */
interface Dispatched {
  /** What it has begun itself. */
  readonly begun: readonly TurnState[];
  /** What waited, and was begun meanwhile by another process. */
  readonly byOthers: readonly Turn[];
}

/**
 * Has what waits in a store, and may begin now, started in the order in which it came, whoever does that; returns after a
 * look at the queue that began later. @throws ZwarmError
 */
export async function dispatch(context: ManagerContext, store: Store): Promise<Dispatched> {
  const hasBegun = (turn: Turn): boolean => readRunner(turn) !== null;
  const waiting = readQueue(store).filter((turn) => !hasBegun(turn));
  const wish = putWish(store.root, context.newNonce());
  const patientUntil = performance.now() + PATIENCE_MS;
  let own = await look(context, store);
  while (own === null && isWished(wish)) {
    await sleep(LOOK_AGAIN_MS);
    own = await look(context, store, performance.now() < patientUntil);
  }
  await handOver(context, store);
  const begun = own ?? [];
  const isOthers = (turn: Turn): boolean =>
    hasBegun(turn) && begun.every((one) => one.id !== turn.id || one.turn !== turn.turn);
  return { begun, byOthers: waiting.filter(isOthers) };
}

/** The same for who will look again: where another process looks at the queue, nothing is wished. It never fails. */
export async function moveIdleQueue(context: ManagerContext, store: Store): Promise<void> {
  const move = async (): Promise<void> => {
    await look(context, store);
    await handOver(context, store);
  };
  // What waits tells so itself.
  await move().catch(() => undefined);
}

/** The same after something else that has succeeded, and may let something begin. It never fails for that. */
export async function moveQueue(context: ManagerContext, store: Store): Promise<void> {
  const move = async (): Promise<void> => {
    putWish(store.root, context.newNonce());
    await moveIdleQueue(context, store);
  };
  await move().catch(() => undefined);
}

/** The same in a process of its own, where the caller is waited for. */
export async function moveBeside(context: ManagerContext, store: Store): Promise<void> {
  const move = async (): Promise<void> => {
    putWish(store.root, context.newNonce());
    await handOver(context, store);
  };
  await move().catch(() => undefined);
}

/** The same in a process that nobody waits for: as long as others wish it, too. */
export async function keepMoving(context: ManagerContext, store: Store): Promise<void> {
  const move = async (): Promise<void> => {
    putWish(store.root, context.newNonce());
    while (wishesIn(store.root).length > 0) if ((await look(context, store)) === null) return;
  };
  await move().catch(() => undefined);
}
