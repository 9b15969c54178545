import type { StopSignal } from '../agents/agent.ts';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { isFinal } from '../core/status.ts';
import { stopTurn } from '../process/stop.ts';
import { DamagedRecord } from '../store/read-file.ts';
import { listTurns, readExit, readRunner } from '../store/sessions.ts';
import { publishCancel } from './cancel.ts';
import type { ManagerContext, Store } from './context.ts';
import { readNow } from './read.ts';
import { markOfTurn, readTurnState, type TurnState } from './read-turn.ts';
import { waitForRest } from './wait.ts';

/** How long an agent gets after each signal. */
export const DEFAULT_GRACE_MS = 5000;

/** For an agent of which nothing is known. */
const ALL_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGKILL'];

/** What there is to stop: the turn, how to read it again, and what to send. */
interface Target {
  readonly current: TurnState;
  readonly signals: readonly StopSignal[];
  look(): Promise<TurnState>;
}

/** A session whose own record is damaged can still be stopped: its turn says what runs. @throws `why` when not */
async function damagedTarget(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  why: ZwarmError,
): Promise<Target> {
  try {
    const turn = listTurns(store.root, id).at(-1);
    if (turn === undefined) throw why;
    const look = () => readTurnState(store, id, turn, null, context.now());
    return { current: await look(), signals: ALL_SIGNALS, look };
  } catch (error) {
    throw error instanceof DamagedRecord ? why : error;
  }
}

async function targetOf(context: ManagerContext, store: Store, id: SessionId): Promise<Target> {
  try {
    const { adapter, record, current } = await readNow(store, id, context.now());
    const command = adapter?.command({
      workingDir: record.working_dir,
      sandbox: record.sandbox,
      model: record.model,
      agentArgs: record.agent_args,
      threadId: null,
    });
    const look = () => readTurnState(store, id, current.turn, adapter, context.now());
    return { current, signals: command?.stopSignals ?? ALL_SIGNALS, look };
  } catch (error) {
    if (error instanceof ZwarmError && error.code === 'damaged')
      return damagedTarget(context, store, id, error);
    throw error;
  }
}

function refuseUnlessLive(id: SessionId, { verdict: { status } }: TurnState): void {
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
  const { current, signals, look } = await targetOf(context, store, id);
  refuseUnlessLive(id, current);
  const { turn, request } = current;
  // Before any signal: whatever dies from here on, readers know that somebody asked for it.
  publishCancel(context, store, id, turn, 'kill');
  // A turn without a runner sees the cancellation before it starts its agent.
  const runner = current.runner ?? readRunner(store.root, id, turn);
  if (runner !== null) {
    const left = await stopTurn({
      runner: runner.identity,
      mark: markOfTurn(id, turn, request.nonce),
      signals,
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
  const after = await waitForRest(store, id, look, AbortSignal.timeout(2 * DEFAULT_GRACE_MS));
  const { status } = after.verdict;
  if (status === 'killed') return;
  if (!isFinal(status)) throw new ZwarmError('still_running', `${id} is still ${status}`, 'try again');
  throw new ZwarmError('not_running', `${id} had already ended: it is ${status}`, `see: zwarm show ${id}`);
}
