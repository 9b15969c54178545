import { readyError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isActive, isAtRest } from '../../core/status.ts';
import { marksOfSession, marksOfTurn } from '../../core/turn-mark.ts';
import { anyMarked, anyMemberLives, type Census, createCensus } from '../../process/turn-processes.ts';
import { DamagedRecord, unlessDamaged } from '../../store/read-file.ts';
import { listSessionIds, listTurns, readCancel, readExit, readRunner } from '../../store/sessions.ts';
import type { Listed } from '../../store/summary.ts';
import { descendantsOf } from '../access/ancestry.ts';
import { type ManagerContext, openForReading, type Session } from '../context.ts';
import { readNow, type SessionNow } from '../session/current-turn.ts';
import { readTogether } from '../session/session-summary.ts';
import { publishCancel } from '../stop/request-cancel.ts';
import {
  ALL_SIGNALS,
  cancelThenEnd,
  DEFAULT_GRACE_MS,
  endProcesses,
  hasLeft,
  orEnded,
  recordStopped,
  refuseFromInside,
  type Stop,
  stop,
  stopOf,
} from '../stop/stop-turn.ts';
import { readTurnState, type TurnState } from '../turn/turn-state.ts';

/** How to end a session. */
export interface KillOptions {
  /** The user knows that a session does not run of which that cannot be told here: it is recorded as killed. */
  readonly force?: boolean | undefined;
  /** How long its agent gets after each signal. */
  readonly graceMs?: number | undefined;
  readonly reason?: string | null | undefined;
}

/**
 * The turn to end: the one that speaks for the session. Where that is at rest, a newer one that was wound back may have left
 * processes. @throws ZwarmError `not_running` where there is nothing to end
 */
function turnToEnd({ id, current, newest }: SessionNow): TurnState {
  const isUndone = newest !== current && isAtRest(current?.verdict.status ?? 'ready');
  if (newest !== null && isUndone && hasLeft(newest)) return newest;
  if (current === null) throw readyError(id, 'there is nothing to end', `to remove it: zwarm rm ${id}`);
  return current;
}

/** The turn of a session to end, or the newest where its records are damaged; or why neither can be read. */
async function targetOf(
  context: ManagerContext,
  session: Session,
  asked: Pick<Stop, 'why' | 'reason' | 'graceMs'>,
): Promise<{ readonly current: TurnState; readonly how: Stop } | ZwarmError> {
  try {
    const now = await readNow(session, context.now());
    const current = turnToEnd(now);
    const how = await stopOf(context, now.record, current, asked);
    return { current, how: { ...how, behind: now.behind } };
  } catch (error) {
    // A session that is being removed may still have processes.
    if (error instanceof ZwarmError && error.code === 'not_found') return error;
    if (!(error instanceof ZwarmError) || error.code !== 'damaged') throw error;
    try {
      const turn = listTurns(session).at(-1);
      if (turn === undefined) return error;
      const look = () => readTurnState({ ...session, turn }, null, context.now());
      return { current: await look(), how: { ...asked, behind: [], signals: ALL_SIGNALS, look } };
    } catch (again) {
      if (again instanceof DamagedRecord) return error;
      throw again;
    }
  }
}

/** Ends the processes of a session whose records cannot be read: they bear its mark. @throws `why` when there are none */
async function killDamaged(
  context: ManagerContext,
  session: Session,
  graceMs: number,
  why: ZwarmError,
): Promise<void> {
  const marks = marksOfSession(session);
  if (!anyMarked(marks, createCensus())) throw why;
  refuseFromInside(session.id, marks);
  const turn = unlessDamaged(() => listTurns(session).at(-1)) ?? null;
  const publish = (): void => {
    if (turn !== null) unlessDamaged(() => publishCancel(context, { ...session, turn }, 'kill'));
  };
  const unrecorded = { recorded: null, ended: () => false, record: () => undefined };
  const request = { marks, signals: ALL_SIGNALS, graceMs, ...unrecorded };
  await cancelThenEnd(publish, session.id, () => endProcesses(session.id, request));
}

/**
 * Stops the running turn of a session, and returns only when its end was observed: the number of the turn that speaks for
 * the session then, or null where its records are damaged. @throws ZwarmError `not_running`, `unknown_liveness`,
 * `still_running`, `damaged`
 */
export async function kill(
  context: ManagerContext,
  session: Session,
  { graceMs = DEFAULT_GRACE_MS, reason = null, force = false }: KillOptions = {},
): Promise<number | null> {
  const target = await targetOf(context, session, { why: 'kill', reason, graceMs });
  if (target instanceof ZwarmError) {
    await killDamaged(context, session, graceMs, target);
    return null;
  }
  const { current, how } = target;
  const { turn: newest } = how.behind.at(-1) ?? current;
  if (force && current.verdict.status === 'unknown') {
    for (const turn of [current, ...how.behind]) {
      publishCancel(context, turn, 'kill', reason);
      recordStopped(turn, turn.runner !== null);
    }
    return newest;
  }
  await stop(context, current, how);
  // What was claimed behind it never begins, and that is recorded: by its launcher or here.
  for (const next of how.behind) {
    const look = () => readTurnState(next, null, context.now());
    await orEnded(stop(context, await look(), { ...how, behind: [], look }));
  }
  return newest;
}

/** Whether something of a session has to be ended: also what an interrupted kill or a lost turn has left, wound back or not. */
function isLive(session: Session, { status }: Listed, census: Census): boolean {
  if (status !== 'damaged' && !isAtRest(status)) return isActive(status);
  if (!anyMarked(marksOfSession(session), census)) return false;
  if (status === 'damaged') return true;
  const newest = listTurns(session).findLast((turn) => readRunner({ ...session, turn }) !== null);
  if (newest === undefined) return false;
  const turn = { ...session, turn: newest };
  return anyMemberLives(marksOfTurn(turn), census) && (readCancel(turn) !== null || readExit(turn) === null);
}

/** The sessions of which something has to be ended, from their own files, never from summaries. */
export async function listLive(context: ManagerContext): Promise<SessionId[]> {
  const store = openForReading(context);
  if (store === null) return [];
  const live: SessionId[] = [];
  const census = createCensus();
  const sessions = listSessionIds(store.root).map((id) => ({ store, id }));
  for await (const [session, listed] of readTogether(sessions, context.now()))
    if (listed !== null && isLive(session, listed, census)) live.push(session.id);
  return live;
}

/** The descendants of a session that have to be ended; in rounds, as they may start others meanwhile. */
export async function* livingDescendants(
  context: ManagerContext,
  ancestor: Session,
): AsyncGenerator<readonly SessionId[]> {
  const known = new Set<SessionId>();
  for (;;) {
    const live = new Set(await listLive(context));
    const found = descendantsOf(ancestor).filter((id) => live.has(id) && !known.has(id));
    if (found.length === 0) return;
    for (const id of found) known.add(id);
    yield found;
  }
}
