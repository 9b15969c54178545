import type { StopSignal } from '../../agents/agent.ts';
import { errnoOf, toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { type CancelWhy, isFinal, LAUNCH_GRACE_MS } from '../../core/status.ts';
import { marksOf } from '../../core/turn-mark.ts';
import { anyMemberLives, createCensus } from '../../process/bearers.ts';
import { areWeBelow } from '../../process/descendants.ts';
import { type StopRequest, stopTurn } from '../../process/stop.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { readExit, readRunner } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { readTurnState, type TurnState } from '../turn/turn-state.ts';
import { waitForRest } from '../turn/wait-for-rest.ts';
import { elsewhereError, whoRan } from '../turn/where-it-ran.ts';
import { recordEnd } from './record-exit.ts';
import { publishCancel } from './request-cancel.ts';

/** How long an agent gets after each signal. */
export const DEFAULT_GRACE_MS = 5000;

/** For an agent of which nothing is known. */
export const ALL_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGKILL'];

/** Somebody wants it ended, and has not said why. */
export const KILL = { why: 'kill', reason: null } as const;

/** A turn to stop: how it stands, how to look again, and what to send. */
export interface Target {
  readonly current: TurnState;
  /** Turns that were claimed behind it, to be called off with it. */
  readonly behind: readonly TurnState[];
  readonly signals: readonly StopSignal[];
  readonly why: CancelWhy;
  /** In the words of whoever asked, or null. */
  readonly reason: string | null;
  look(): Promise<TurnState>;
}

/** The turn of a session that is to be stopped, and what its agent is to be told. */
export async function targetOf(
  context: ManagerContext,
  store: Store,
  now: Pick<SessionNow, 'id' | 'adapter' | 'record' | 'current'>,
): Promise<Target> {
  const { id, adapter, record, current } = now;
  // It will read how the turn has ended: then nobody has to wait until it is loaded.
  await adapter?.loadParser(null);
  const command = adapter?.command({
    workingDir: record.working_dir,
    sandbox: record.sandbox,
    model: record.model,
    agentArgs: record.agent_args,
    threadId: null,
    forks: false,
    tools: null,
  });
  const look = () => readTurnState(store, id, current.turn, adapter, context.now());
  return { current, behind: [], signals: command?.stopSignals ?? ALL_SIGNALS, ...KILL, look };
}

function refuseUnlessLive(store: Store, id: SessionId, state: TurnState): void {
  const { turn, cancel, verdict } = state;
  const { status } = verdict;
  if (status === 'unknown') {
    const hint = `kill it there; if that is gone for good: zwarm kill --force ${id}`;
    throw elsewhereError(id, whoRan(state), hint);
  }
  // A kill that was itself killed may have left something of a turn whose end is recorded.
  if (isFinal(status) && (cancel === null || !anyMemberLives(marksOf(store, id, turn), createCensus()))) {
    throw new ZwarmError('not_running', `${id} is not running: it is ${status}`, `see: zwarm show ${id}`);
  }
}

/** An agent that ended its own session would leave half of it behind: it is among what started this command. */
export function refuseFromInside(id: SessionId, marks: string): void {
  if (!areWeBelow(marks)) return;
  throw new ZwarmError(
    'still_running',
    `${id} cannot be ended from inside: this command is one of its own processes`,
    'let its agent end, or kill it from another terminal',
  );
}

/** Ends what a turn has left running. @throws ZwarmError `still_running`, with what could not be ended */
export async function endProcesses(id: SessionId, request: StopRequest): Promise<void> {
  const left = await stopTurn(request);
  if (left.length === 0) return;
  const pids = left.map(({ pid }) => pid).join(', ');
  throw new ZwarmError(
    'still_running',
    `processes of ${id} could not be ended: ${pids}`,
    `look at them: ps -fp ${pids}`,
  );
}

/** Records the end of a turn that was stopped and has nobody left to record it; `ran` when an agent may have run. */
export function recordStopped(store: Store, id: SessionId, turn: number, ran: boolean): void {
  recordEnd(store, id, turn, { why: ran ? null : 'cancelled', detail: null, cancelled: true });
}

/** Publishes that a turn is to stop; why that failed, or null. An agent that made it fail is to end all the same. */
export function failureToPublish(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  turn: number,
  { why, reason }: Pick<Target, 'why' | 'reason'>,
): unknown {
  try {
    publishCancel(context, store, id, turn, why, reason);
    return null;
  } catch (error) {
    const gone = error instanceof ZwarmError && error.code === 'not_found';
    // Whoever may only read is nobody to end anything; that is no agent's doing.
    if (gone || errnoOf(error) === 'EROFS') throw error;
    return error;
  }
}

export function unpublishedKill(id: SessionId, cause: unknown): ZwarmError {
  const { message, hint } = toZwarmError(cause);
  return new ZwarmError(
    'io',
    `the processes of ${id} were ended, but not that somebody asked for it could be recorded: ${message}`,
    hint,
    cause,
  );
}

export async function killTurn(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  target: Target,
  graceMs: number,
): Promise<void> {
  const { current, behind, signals, look } = target;
  refuseUnlessLive(store, id, current);
  const { turn } = current;
  const marks = marksOf(store, id, turn);
  refuseFromInside(id, marks);
  for (const next of behind) publishCancel(context, store, id, next.turn, 'kill');
  // Before any signal: whatever dies from here on, readers know that somebody asked for it.
  const unpublished = current.exit === null ? failureToPublish(context, store, id, turn, target) : null;
  // A runner that comes later sees the cancellation before it starts its agent.
  const runner = current.runner ?? readRunner(store.root, id, turn);
  await endProcesses(id, {
    marks,
    recorded: runner?.identity ?? null,
    signals,
    graceMs,
    ended: () => readExit(store.root, id, turn) !== null,
    record: () => recordStopped(store, id, turn, runner !== null),
  });
  if (unpublished !== null) throw unpublishedKill(id, unpublished);
  try {
    await observeEnd(store, id, look, runner !== null || current.processes.living === 'yes');
  } catch (error) {
    // All of it has ended, and no record that could be read says how.
    if (!(error instanceof DamagedRecord)) throw error;
  }
}

/** Waits for the end of a turn whose processes have ended, and records it where nobody else does. `ran`: an agent may have. */
async function observeEnd(
  store: Store,
  id: SessionId,
  look: () => Promise<TurnState>,
  ran: boolean,
): Promise<void> {
  let after = await waitForRest(store, id, look, AbortSignal.timeout(LAUNCH_GRACE_MS));
  if (after.exit === null && ['killed', 'pending'].includes(after.verdict.status)) {
    recordStopped(store, id, after.turn, ran || after.runner !== null);
    after = await look();
  }
  const { status } = after.verdict;
  if (status === 'killed') return;
  if (!isFinal(status)) throw new ZwarmError('still_running', `${id} is still ${status}`, 'try again');
  throw new ZwarmError('not_running', `${id} had already ended: it is ${status}`, `see: zwarm show ${id}`);
}

/**
 * Stops a running turn, so that the next one, which was claimed, can begin; returns when its end was observed.
 * @throws ZwarmError `still_running`
 */
export async function interruptTurn(
  context: ManagerContext,
  store: Store,
  now: SessionNow,
  graceMs: number,
): Promise<void> {
  try {
    const target: Target = { ...(await targetOf(context, store, now)), why: 'interrupt' };
    await killTurn(context, store, now.id, target, graceMs);
  } catch (error) {
    // It ended by itself, which is as good.
    if (!(error instanceof ZwarmError) || error.code !== 'not_running') throw error;
  }
}
