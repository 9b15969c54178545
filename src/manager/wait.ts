import { findAgent } from '../agents/registry.ts';
import type { SessionId } from '../core/ids.ts';
import { isFinal, LAUNCH_GRACE_MS, type TurnStatus } from '../core/status.ts';
import { TURN_FILES, turnDir } from '../store/layout.ts';
import { watchDirectory } from '../store/watch.ts';
import type { ManagerContext, Store } from './context.ts';
import { elsewhereError, whoRan } from './elsewhere.ts';
import { readNow, readRecord, readTurnNow } from './read.ts';
import type { TurnState } from './read-turn.ts';

/** Notification only shortens a wait: a death that no file tells of is found by looking again. */
const LOOK_AGAIN_MS = 1000;
const LOOK_AGAIN_PENDING_MS = LAUNCH_GRACE_MS / 10;
/** What an agent prints does not end its turn, and a talkative one would keep us looking all the time. */
const OUTPUT = [TURN_FILES.events, TURN_FILES.stderr];

/**
 * Waits until the turn that speaks for a session is final, and returns it. `look` reads it anew; `prepare` is called
 * before a wait, for what would else be done when the end has come and somebody waits. Aborting the signal ends only
 * the waiting, with the state as it is then; the agent runs on. @throws ZwarmError `unknown_liveness`
 */
export async function waitForRest(
  store: Store,
  id: SessionId,
  look: () => Promise<TurnState>,
  signal: AbortSignal,
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<TurnState> {
  let current = await look();
  if (!isFinal(current.verdict.status)) await prepare();
  while (!isFinal(current.verdict.status) && !signal.aborted) {
    if (current.verdict.status === 'unknown') {
      throw elsewhereError(id, whoRan(current), 'wait for it there');
    }
    const watch = watchDirectory(turnDir(store.root, id, current.turn), OUTPUT);
    try {
      // Looked at again after the watch began: what happened in between is not missed.
      current = await look();
      if (isFinal(current.verdict.status)) break;
      const pending = current.verdict.status === 'pending';
      await watch.next(pending ? LOOK_AGAIN_PENDING_MS : LOOK_AGAIN_MS, signal);
    } finally {
      watch.close();
    }
    current = await look();
  }
  return current;
}

/**
 * Waits until a session is at rest, or that turn of it has ended, or the signal aborts; returns the status then.
 * @throws ZwarmError `damaged` …
 */
export async function wait(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  signal: AbortSignal,
  turn: number | null,
): Promise<TurnStatus> {
  const look = async (): Promise<TurnState> =>
    turn === null
      ? (await readNow(store, id, context.now())).current
      : readTurnNow(store, id, turn, context.now());
  const loadParser = async () => findAgent((await readRecord(store, id)).agent)?.loadParser(null);
  return (await waitForRest(store, id, look, signal, loadParser)).verdict.status;
}
