import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { marksOf } from '../../core/turn-mark.ts';
import { anyBears, createCensus } from '../../process/bearers.ts';
import { DamagedRecord, unlessDamaged } from '../../store/read-file.ts';
import { listTurns } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { readNow } from '../session/current-turn.ts';
import { publishCancel } from '../stop/request-cancel.ts';
import {
  ALL_SIGNALS,
  DEFAULT_GRACE_MS,
  endProcesses,
  failureToPublish,
  KILL,
  killTurn,
  recordStopped,
  refuseFromInside,
  type Target,
  targetOf,
  unpublishedKill,
} from '../stop/stop-turn.ts';
import { readTurnState } from '../turn/turn-state.ts';

/** Records a turn as killed of which nobody can tell whether it runs: the user knows that it does not. */
function recordAsKilled(context: ManagerContext, store: Store, id: SessionId, target: Target): void {
  for (const { turn, runner } of [target.current, ...target.behind]) {
    publishCancel(context, store, id, turn, 'kill', target.reason);
    recordStopped(store, id, turn, runner !== null);
  }
}

/** How to end a session. */
export interface KillOptions {
  /** The user knows that a session of which nobody here can tell whether it runs does not: it is recorded as killed. */
  readonly force?: boolean | undefined;
  /** How long its agent gets after each signal, in milliseconds. */
  readonly graceMs?: number | undefined;
  /** Why, for whoever looks at it later. */
  readonly reason?: string | null | undefined;
}

/**
 * Stops the running turn of a session, and returns only when its end was observed.
 * @throws ZwarmError `not_running` (also when it completed first), `unknown_liveness`, `still_running`, `damaged`
 */
export async function kill(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  { graceMs = DEFAULT_GRACE_MS, reason = null, force = false }: KillOptions = {},
): Promise<void> {
  const target = await readNow(store, id, context.now())
    .then(async (now): Promise<Target> => {
      return { ...(await targetOf(context, store, now)), behind: now.behind, reason };
    })
    .catch(async (error: unknown) => {
      if (!(error instanceof ZwarmError)) throw error;
      if (error.code === 'damaged') return (await damagedTarget(context, store, id)) ?? error;
      // It may be called removed by nobody but its own agent.
      if (error.code === 'not_found') return error;
      throw error;
    });
  if (target instanceof ZwarmError) return killDamaged(context, store, id, graceMs, target);
  if (force && target.current.verdict.status === 'unknown') return recordAsKilled(context, store, id, target);
  await killTurn(context, store, id, target, graceMs);
  await killBehind(context, store, id, target, graceMs);
}

/** The turn that speaks for a session whose own record is damaged; null when that cannot be read either. */
async function damagedTarget(context: ManagerContext, store: Store, id: SessionId): Promise<Target | null> {
  try {
    const turn = listTurns(store.root, id).at(-1);
    if (turn === undefined) return null;
    const look = () => readTurnState(store, id, turn, null, context.now());
    return { current: await look(), behind: [], signals: ALL_SIGNALS, ...KILL, look };
  } catch (error) {
    if (error instanceof DamagedRecord) return null;
    throw error;
  }
}

/** Sees to it that what was claimed behind a stopped turn never begins, and that this is on record. */
async function killBehind(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  target: Target,
  graceMs: number,
): Promise<void> {
  for (const current of target.behind) {
    const look = () => readTurnState(store, id, current.turn, null, context.now());
    try {
      await killTurn(context, store, id, { ...target, current: await look(), behind: [], look }, graceMs);
    } catch (error) {
      // Its launcher has recorded that it was called off.
      if (!(error instanceof ZwarmError) || error.code !== 'not_running') throw error;
    }
  }
}

/** Ends all that runs of a session whose records tell nothing: their marks say whose they are. @throws `why` when nothing does */
async function killDamaged(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  graceMs: number,
  why: ZwarmError,
): Promise<void> {
  const marks = marksOf(store, id);
  if (!anyBears(marks, createCensus())) throw why;
  refuseFromInside(id, marks);
  const turn = unlessDamaged(() => listTurns(store.root, id).at(-1)) ?? null;
  const unpublished = turn === null ? null : failureToPublish(context, store, id, turn, KILL);
  await endProcesses(id, {
    marks,
    recorded: null,
    signals: ALL_SIGNALS,
    graceMs,
    ended: () => false,
    record: () => undefined,
  });
  if (unpublished !== null && !(unpublished instanceof DamagedRecord)) throw unpublishedKill(id, unpublished);
}
