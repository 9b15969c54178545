import type { SessionId } from '../../core/ids.ts';
import { isFinal, LAUNCH_GRACE_MS } from '../../core/status.ts';
import { TURN_FILES, turnDir } from '../../store/layout.ts';
import { watchDirectory } from '../../store/watch.ts';
import type { Store } from '../context.ts';
import type { TurnState } from './turn-state.ts';
import { elsewhereError, whoRan } from './where-it-ran.ts';

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
