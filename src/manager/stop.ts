import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { isFinal } from '../core/status.ts';
import { stopTurn } from '../process/stop.ts';
import { readExit, readRunner } from '../store/sessions.ts';
import { publishCancel } from './cancel.ts';
import type { ManagerContext, Store } from './context.ts';
import { readNow, type SessionNow } from './read.ts';
import { markOfTurn } from './read-turn.ts';
import { waitForRest } from './wait.ts';

/** How long an agent gets after each signal. */
export const DEFAULT_GRACE_MS = 5000;

function refuseUnlessLive({ id, current }: SessionNow): void {
  const { status } = current.verdict;
  if (status === 'unknown') {
    throw new ZwarmError(
      'unknown_liveness',
      `${id} may be running on another host or in another container`,
      'kill it there',
    );
  }
  if (isFinal(status)) {
    throw new ZwarmError('not_running', `${id} is not running: it is ${status}`, `see: zwarm show ${id}`);
  }
}

/** What to send when the session's agent is one that this zwarm does not know. */
const PLAIN_SIGNALS = ['SIGTERM', 'SIGKILL'] as const;

/**
 * Stops the running turn of a session, and returns only when its end was observed.
 * @throws ZwarmError `not_running` (also when it completed first), `unknown_liveness`, `still_running`
 */
export async function kill(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  graceMs: number,
): Promise<void> {
  const now = await readNow(store, id, context.now());
  refuseUnlessLive(now);
  const { turn, request } = now.current;
  // Before any signal: whatever dies from here on, readers know that somebody asked for it.
  publishCancel(context, store, id, turn, 'kill');
  const signals = now.adapter?.command({
    workingDir: now.record.working_dir,
    sandbox: now.record.sandbox,
    model: now.record.model,
    agentArgs: now.record.agent_args,
    threadId: null,
  }).stopSignals;
  // A turn without a runner sees the cancellation before it starts its agent.
  const runner = now.current.runner ?? readRunner(store.root, id, turn);
  if (runner !== null) {
    const left = await stopTurn({
      runner: runner.identity,
      mark: markOfTurn(id, turn, request.nonce),
      signals: signals ?? PLAIN_SIGNALS,
      graceMs,
      ended: () => readExit(store.root, id, turn) !== null,
    });
    if (left.length > 0) {
      const pids = left.map(({ pid }) => pid).join(', ');
      throw new ZwarmError(
        'still_running',
        `processes of ${id} could not be ended: ${pids}`,
        `look at them: ps -fp ${pids}`,
      );
    }
  }
  const after = await waitForRest(context, store, id, AbortSignal.timeout(2 * DEFAULT_GRACE_MS));
  const { status } = after.current.verdict;
  if (status === 'killed') return;
  if (!isFinal(status)) throw new ZwarmError('still_running', `${id} is still ${status}`, 'try again');
  throw new ZwarmError('not_running', `${id} had already ended: it is ${status}`, `see: zwarm show ${id}`);
}
