import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { isFinal, LAUNCH_GRACE_MS } from '../core/status.ts';
import { turnDir } from '../store/layout.ts';
import { watchDirectory } from '../store/watch.ts';
import type { ManagerContext, Store } from './context.ts';
import { readNow, type SessionNow } from './read.ts';

/** Notification only shortens a wait: a death that no file tells of is found by looking again. */
const LOOK_AGAIN_MS = 1000;
const LOOK_AGAIN_PENDING_MS = LAUNCH_GRACE_MS / 10;

/**
 * Waits until a session is at rest and returns its state. Aborting the signal ends only the waiting, with the state
 * as it is then; the agent runs on. @throws ZwarmError `not_found`, `damaged`, `unknown_liveness`
 */
export async function waitForRest(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  signal: AbortSignal,
): Promise<SessionNow> {
  let now = await readNow(store, id, context.now());
  while (!isFinal(now.current.verdict.status) && !signal.aborted) {
    const { turn, verdict } = now.current;
    if (verdict.status === 'unknown') {
      throw new ZwarmError(
        'unknown_liveness',
        `whether ${id} runs can only be told on its own host`,
        'wait there',
      );
    }
    const watch = watchDirectory(turnDir(store.root, id, turn));
    try {
      // Looked at again after the watch began: what happened in between is not missed.
      now = await readNow(store, id, context.now());
      if (isFinal(now.current.verdict.status)) break;
      await watch.next(verdict.status === 'pending' ? LOOK_AGAIN_PENDING_MS : LOOK_AGAIN_MS, signal);
    } finally {
      watch.close();
    }
    now = await readNow(store, id, context.now());
  }
  return now;
}
