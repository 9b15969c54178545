import { readyError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isActive, isAtRest } from '../../core/status.ts';
import { bears, marksOfClaim, marksOfSession, marksOfTurn } from '../../core/turn-mark.ts';
import { areWeLeftOf } from '../../process/process-tree.ts';
import { anyMarked, anyMemberLives, type Census, createCensus } from '../../process/turn-processes.ts';
import { DamagedRecord, unlessDamaged } from '../../store/read-file.ts';
import { listSessionIds, listTurns, readCancel, readExit, readRunner } from '../../store/sessions.ts';
import type { Listed } from '../../store/summary.ts';
import { descendantsOf } from '../access/ancestry.ts';
import { catchUp } from '../adopt/opened.ts';
import { type ManagerContext, openForReading, type Session } from '../context.ts';
import { requireClosed } from '../launch/preconditions.ts';
import { readStateFromRecords } from '../session/current-turn.ts';
import { countLeft, createLeftOf, type LeftTurn } from '../session/processes-left.ts';
import { computeListedTogether } from '../session/session-summary.ts';
import { publishCancel } from '../stop/request-cancel.ts';
import {
  ALL_SIGNALS,
  cancelThenEnd,
  DEFAULT_GRACE_MS,
  endProcesses,
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
  /** The user knows that a session does not run of which that cannot be determined here: it is recorded as killed. */
  readonly force?: boolean | undefined;
  /** How long its agent gets after each signal. */
  readonly graceMs?: number | undefined;
  readonly reason?: string | null | undefined;
}

/** What there is to end: the turn that speaks for a session, or what its ended turns have left running. */
type Target =
  | { readonly current: TurnState; readonly plan: Stop }
  | { readonly turn: number | null; readonly left: readonly LeftTurn[] };

/** The processes of the program in which a session is open. */
function leftTurnOf({ store, id, turn, request: { nonce } }: TurnState): LeftTurn {
  const marks = marksOfClaim({ id, turn }, nonce);
  const pids = createCensus()
    .processes()
    .flatMap(({ pid, mark }) => (bears(mark, marks) ? [pid] : []));
  return { store, id, turn, nonce, pids };
}

/** What there is to end of a session; of one with damaged records the newest turn, or why that cannot be read. */
async function targetOf(
  context: ManagerContext,
  session: Session,
  asked: Pick<Stop, 'why' | 'reason' | 'graceMs'>,
): Promise<Target | ZwarmError> {
  try {
    const now = await readStateFromRecords(session, context.now());
    const { current } = now;
    // The command that opened it is gone, and nothing else waits for the program.
    if (current !== null && current.request.opened !== null && current.claimer === 'no')
      return { turn: current.turn, left: [leftTurnOf(current)] };
    requireClosed(now);
    const status = current?.verdict.status ?? 'ready';
    const turn = current?.turn ?? null;
    const left = isAtRest(status) ? createLeftOf()(session, { status, turn }) : null;
    if (left !== null && left.length > 0) return { turn, left };
    const { id } = session;
    if (current === null) throw readyError(id, 'there is nothing to end', `see: zwarm show ${id}`);
    const plan = await stopOf(context, now.record, current, asked);
    return { current, plan: { ...plan, behind: now.behind } };
  } catch (error) {
    // A session that is being removed may still have processes.
    if (error instanceof ZwarmError && error.code === 'not_found') return error;
    if (!(error instanceof ZwarmError) || error.code !== 'damaged') throw error;
    try {
      const turn = listTurns(session).at(-1);
      if (turn === undefined) return error;
      const look = () => readTurnState({ ...session, turn }, null, context.now());
      return { current: await look(), plan: { ...asked, behind: [], signals: ALL_SIGNALS, look } };
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

/** Ends what turns that have ended have left: no agent is among it, which would know best how to end its commands. */
async function endLeft(left: readonly LeftTurn[], graceMs: number): Promise<void> {
  for (const { nonce, ...turn } of left) {
    const marks = marksOfClaim(turn, nonce);
    const recorded = readRunner(turn)?.identity ?? null;
    const ended = { ended: () => true, record: () => undefined };
    await endProcesses(turn.id, { marks, recorded, signals: ['SIGTERM', 'SIGKILL'], graceMs, ...ended });
  }
}

/** What was ended. */
export interface Killed {
  /** The turn that speaks for the session then; null where its records are damaged, and of one that is ready. */
  readonly turn: number | null;
  /** How many processes of ended turns that were, whose statuses stay; null where a turn was stopped. */
  readonly left: number | null;
}

/**
 * Stops the running turn of a session, and what its turns have left running, and returns only when the end was observed.
 * @throws ZwarmError `not_running`, `unknown_liveness`, `still_running`, `damaged`
 */
export async function kill(
  context: ManagerContext,
  session: Session,
  { graceMs = DEFAULT_GRACE_MS, reason = null, force = false }: KillOptions = {},
): Promise<Killed> {
  const target = await targetOf(context, session, { why: 'kill', reason, graceMs });
  if (target instanceof ZwarmError) {
    await killDamaged(context, session, graceMs, target);
    return { turn: null, left: null };
  }
  if ('left' in target) {
    for (const turn of target.left) refuseFromInside(turn.id, marksOfClaim(turn, turn.nonce), areWeLeftOf);
    await endLeft(target.left, graceMs);
    return { turn: target.turn, left: countLeft(target.left) };
  }
  const { current, plan } = target;
  const { turn: newest } = plan.behind.at(-1) ?? current;
  if (force && current.verdict.status === 'unknown') {
    if (current.request.opened !== null) {
      await catchUp(context, session, true);
      return { turn: newest, left: null };
    }
    for (const turn of [current, ...plan.behind]) {
      publishCancel(context, turn, 'kill', reason);
      recordStopped(turn, turn.runner !== null);
    }
    return { turn: newest, left: null };
  }
  await stop(context, current, plan);
  // What was claimed behind it never begins, and that is recorded: by its launcher or here.
  for (const next of plan.behind) {
    const look = () => readTurnState(next, null, context.now());
    await orEnded(stop(context, await look(), { ...plan, behind: [], look }));
  }
  // What earlier turns have left, unless we are a part of it: the one that was to be ended has ended.
  const left = createLeftOf()(session, { status: 'killed', turn: newest }) ?? [];
  await endLeft(
    left.filter((turn) => !areWeLeftOf(marksOfClaim(turn, turn.nonce))),
    graceMs,
  );
  return { turn: newest, left: null };
}

/** Whether something of a session has to be ended: also what an interrupted kill or a lost turn has left, rewound or not. */
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
  for await (const [session, listed] of computeListedTogether(sessions, context.now()))
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
