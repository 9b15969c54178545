import { isFinal, LAUNCH_GRACE_MS } from '../../core/status.ts';
import { TURN_FILES, turnDir } from '../../store/layout.ts';
import { watchDirectory } from '../../store/watch.ts';
import type { TurnState } from './turn-state.ts';
import { elsewhereError, whereStarted } from './where-it-ran.ts';

/** Notification only shortens a wait: a death that no file records is found by looking again. */
const LOOK_AGAIN_MS = 1000;
const LOOK_AGAIN_PENDING_MS = LAUNCH_GRACE_MS / 10;
/** Output does not end a turn, and a talkative agent would keep us busy. */
const OUTPUT = [TURN_FILES.events, TURN_FILES.stderr];

/**
 * Waits until a turn is final, or the signal aborts, and returns its state then. `look` reads that; `prepare` is called
 * before a wait and does what would delay the answer later. @throws ZwarmError `unknown_liveness`
 */
export async function waitForRest(
  look: () => Promise<TurnState>,
  signal: AbortSignal,
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<TurnState> {
  let current = await look();
  if (!isFinal(current.verdict.status)) await prepare();
  while (!isFinal(current.verdict.status) && !signal.aborted) {
    if (current.verdict.status === 'unknown')
      throw elsewhereError(current.id, whereStarted(current), 'wait for it there');
    const watch = watchDirectory(turnDir(current), OUTPUT);
    try {
      // Read again after the watch began: nothing that happened in between is missed.
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
