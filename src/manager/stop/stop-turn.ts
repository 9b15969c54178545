import type { StopSignal } from '../../agents/agent.ts';
import { errnoOf, toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { Breach } from '../../core/rules/run-limits.ts';
import { type CancelReason, isFinal, LAUNCH_GRACE_MS } from '../../core/status.ts';
import { parseIso, shortSpan } from '../../core/time.ts';
import { marksOfClaim } from '../../core/turn-mark.ts';
import { isStartedBelow } from '../../process/process-tree.ts';
import { type StopOptions, stopTurn } from '../../process/stop.ts';
import { discard } from '../../store/files.ts';
import { turnFile } from '../../store/layout.ts';
import type { SessionRecord } from '../../store/records.ts';
import { readExit, readRunner } from '../../store/sessions.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { readTurnState, type TurnState } from '../turn/turn-state.ts';
import { waitForRest } from '../turn/wait-for-rest.ts';
import { elsewhereError, whereStarted } from '../turn/where-it-ran.ts';
import { recordEnd } from './record-exit.ts';
import { publishCancel } from './request-cancel.ts';

/** How long an agent gets after each signal. */
export const DEFAULT_GRACE_MS = 5000;

/** For an agent of which nothing is known. */
export const ALL_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGKILL'];

/** How to stop a turn. */
export interface Stop {
  /** Turns that were claimed behind it, to be cancelled with it. */
  readonly behind: readonly TurnState[];
  readonly signals: readonly StopSignal[];
  readonly why: CancelReason;
  /** As given by the caller, or null. */
  readonly reason: string | null;
  readonly graceMs: number;
  /** The limit that the turn has reached. */
  readonly limit?: Breach | undefined;
  look(): Promise<TurnState>;
}

/** How to stop a turn, with nothing behind it. */
export async function stopOf(
  context: ManagerContext,
  record: SessionRecord,
  turn: TurnState,
  asked: Pick<Stop, 'why' | 'reason' | 'graceMs'>,
): Promise<Stop> {
  const { adapter } = turn;
  // It will parse the end of the turn, which should not wait for it.
  await adapter?.loadParser(null);
  const look = () => readTurnState(turn, record, context.now());
  return { ...asked, behind: [], signals: adapter?.stopSignals ?? ALL_SIGNALS, look };
}

const marksOf = (state: TurnState): string => marksOfClaim(state, state.request.nonce);

function refuseUnlessLive(state: TurnState, nowMs: number): void {
  const { id, verdict, exit, request } = state;
  const { status } = verdict;
  const hint = `kill it there; if that is gone for good: zwarm kill --force ${id}`;
  if (status === 'unknown') throw elsewhereError(id, whereStarted(state), hint);
  if (!isFinal(status)) return;
  // Whatever the clock was set to since, it did not end before it was asked for.
  const endedMs = exit && Math.max(exit.endedMs, parseIso(request.at) ?? 0);
  const ending = endedMs === null ? `is ${status}` : `ended ${shortSpan(nowMs - endedMs)} ago: ${status}`;
  throw new ZwarmError('not_running', `${id} is not running: it ${ending}`, `see: zwarm show ${id}`);
}

/** Refuses where this command is one of the processes to end: half of them would be left behind. */
export function refuseFromInside(id: SessionId, marks: string, areWeInside = isStartedBelow): void {
  if (!areWeInside(marks)) return;
  const what = `${id} cannot be ended from inside: this command is one of its own processes`;
  throw new ZwarmError('still_running', what, 'let its agent end, or kill it from another terminal');
}

/** Ends the processes of a session. @throws ZwarmError `still_running`, with those that could not be ended */
export async function endProcesses(id: SessionId, options: StopOptions): Promise<void> {
  const left = await stopTurn(options);
  if (left.length === 0) return;
  const pids = left.map(({ pid }) => pid).join(', ');
  const what = `processes of ${id} could not be ended: ${pids}`;
  throw new ZwarmError('still_running', what, `look at them: ps -fp ${pids}`);
}

/** Records the end of a stopped turn that has no runner left to do so; `ran` when an agent may have run. */
export function recordStopped(turn: Turn, ran: boolean): void {
  recordEnd(turn, { why: ran ? null : 'cancelled', detail: null, cancelled: true });
}

/** Publishes a cancellation, then ends the processes, also where that failed. @throws ZwarmError `io` then */
export async function cancelThenEnd(
  publish: () => void,
  id: SessionId,
  end: () => Promise<void>,
): Promise<void> {
  let failure: { readonly cause: unknown } | null = null;
  try {
    publish();
  } catch (error) {
    const gone = error instanceof ZwarmError && error.code === 'not_found';
    // A process that may only read cannot end anything either.
    if (gone || errnoOf(error) === 'EROFS') throw error;
    failure = { cause: error };
  }
  await end();
  if (failure === null) return;
  const { message, hint } = toZwarmError(failure.cause);
  const what = `the processes of ${id} were ended, but the request to stop it could not be recorded: ${message}`;
  throw new ZwarmError('io', what, hint, failure.cause);
}

/** Stops a turn, and returns when its end was observed. @throws ZwarmError `not_running`, `still_running`, … */
export async function stop(context: ManagerContext, current: TurnState, plan: Stop): Promise<void> {
  refuseUnlessLive(current, context.now());
  const { id } = current;
  const marks = marksOf(current);
  refuseFromInside(id, marks);
  for (const next of plan.behind) publishCancel(context, next, 'kill');
  let ran = current.processes.living === 'yes';
  // Before any signal: of whatever dies from here on, readers know that it was asked to.
  const publish = (): void => {
    if (current.exit === null) publishCancel(context, current, plan.why, plan.reason, plan.limit);
  };
  await cancelThenEnd(publish, id, async () => {
    // A runner that comes later sees the cancellation before it starts its agent.
    const runner = current.runner ?? readRunner(current);
    ran ||= runner !== null;
    await endProcesses(id, {
      marks,
      recorded: runner?.identity ?? null,
      signals: plan.signals,
      graceMs: plan.graceMs,
      ended: () => readExit(current) !== null,
      record: () => recordStopped(current, runner !== null),
    });
  });
  let after = await waitForRest(plan.look, AbortSignal.timeout(LAUNCH_GRACE_MS));
  // Its processes have ended, and none of them has recorded that.
  if (after.exit === null && ['killed', 'pending'].includes(after.verdict.status)) {
    recordStopped(after, ran || after.runner !== null);
    after = await plan.look();
  }
  const { status } = after.verdict;
  // What was stopped is never begun again.
  if (status === 'killed') return discard(turnFile(current, 'environment'));
  if (!isFinal(status)) throw new ZwarmError('still_running', `${id} is still ${status}`, 'try again');
  throw new ZwarmError('not_running', `${id} had already ended: it is ${status}`, `see: zwarm show ${id}`);
}

/** Does something that stops a turn, which may as well have ended by itself. */
export async function orEnded(stopping: Promise<void>): Promise<void> {
  try {
    await stopping;
  } catch (error) {
    if (!(error instanceof ZwarmError) || error.code !== 'not_running') throw error;
  }
}

/** Stops the running turn, so that the claimed one can begin. @throws ZwarmError `still_running` */
export async function interruptTurn(
  context: ManagerContext,
  record: SessionRecord,
  running: TurnState,
): Promise<void> {
  const asked = { why: 'interrupt', reason: null, graceMs: DEFAULT_GRACE_MS } as const;
  await orEnded(stop(context, running, await stopOf(context, record, running, asked)));
}
