import { type Dependency, type Pending, postponement, whyNotYet } from '../../core/rules/queue.ts';
import { firstFew } from '../../core/session.ts';
import { isActive, isFinal } from '../../core/status.ts';
import { livenessOf } from '../../process/identity.ts';
import type { RequestRecord } from '../../store/records.ts';
import { hasTurn, readDeferral } from '../../store/sessions.ts';
import type { Session, Turn } from '../context.ts';
import { slotsNow } from '../turn/slot-holders.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { launchOf } from '../turn/turn-stream.ts';
import { holdOf } from './account.ts';
import { readStateFromRecords, readTurnStateOrDamaged } from './current-turn.ts';
import { unlessGone } from './damage.ts';
import { unknownWordsOf } from './unknown-words.ts';
import { wakerNow } from './wake-time.ts';

const LAUNCHING: Pending = { reason: 'launching', detail: 'it is being launched', not_before: null };

/** What was found out for one question, and answers others of the same moment: about turns, by id and number, and places. */
export interface Known {
  readonly dependencies: Map<string, Promise<Dependency>>;
  slots: ReturnType<typeof slotsNow> | null;
}

export const nothingKnown = (): Known => ({ dependencies: new Map(), slots: null });

async function lookAtDependency(turn: Turn, nowMs: number, known: Known): Promise<Dependency> {
  const { id } = turn;
  const of = (status: Dependency['status']): Dependency => ({ id, status });
  const named = hasTurn(turn) ? await unlessGone(readTurnStateOrDamaged(turn, nowMs)) : null;
  if (named === null) return of(null);
  const { status } = named.verdict;
  if (status === 'completed') return of(status);
  // A failed one may have been mended by a later message.
  const now = isFinal(status) ? await unlessGone(readStateFromRecords(turn, nowMs)) : { current: named };
  if (now === null) return of(null);
  // One that was rewound stays what it was: an earlier turn, which speaks then, has mended nothing.
  const current = now.current !== null && now.current.turn > turn.turn ? now.current : named;
  if (current.verdict.status !== 'pending' || !current.request.queued) return of(current.verdict.status);
  const why = await whyWaits(current, null, nowMs, known);
  return of(why?.reason === 'failed_dependency' ? 'stuck' : 'pending');
}

/**
 * Why a queued turn may not begin, slot and account aside; null where it may. `behind`: an earlier turn that has not ended. No turn
 * waits for itself: a record names sessions that were there before it.
 */
export async function whyWaits(
  waiting: Pick<TurnState, 'store' | 'id' | 'turn' | 'request'>,
  behind: number | null,
  nowMs: number,
  known: Known = nothingKnown(),
): Promise<Pending | null> {
  const { store, request } = waiting;
  const look = ({ id, turn }: RequestRecord['after'][number]): Promise<Dependency> => {
    const found =
      known.dependencies.get(`${id}.${turn}`) ?? lookAtDependency({ store, id, turn }, nowMs, known);
    known.dependencies.set(`${id}.${turn}`, found);
    return found;
  };
  const after = await Promise.all(request.after.map(look));
  const why = whyNotYet({ behind, after, evenIfFailed: request.even_if_failed });
  const deferral = why === null ? readDeferral(waiting) : null;
  return deferral === null ? why : postponement(deferral, nowMs, wakerNow(store.state).lives);
}

/** Why a turn waits that could begin: for a newer zwarm, or for a slot; else nobody is about to start it. */
async function whyNotStarted(session: Session, nowMs: number, known: Known): Promise<Pending> {
  const of = (reason: Pending['reason'], detail: string): Pending => ({ reason, detail, not_before: null });
  const unknown = firstFew(unknownWordsOf(session));
  if (unknown !== '') return of('queue', `only a newer zwarm begins it: this one does not know ${unknown}`);
  known.slots ??= slotsNow(session.store, nowMs);
  const held = (await known.slots).filter(({ isHeld }) => isHeld);
  return held.length > 0
    ? of(
        'slot',
        held.length === 1
          ? 'it waits for the turn that runs'
          : `it waits for one of ${held.length} running turns`,
      )
    : of('queue', 'nothing will start it by itself: zwarm queue run');
}

/** Why a session waits, if it does, and how many of its messages wait. `turns` are all of its turns, oldest first. */
export async function waitingOf(
  turns: readonly TurnState[],
  nowMs: number,
  known: Known = nothingKnown(),
): Promise<{ readonly pending: Pending | null; readonly queued: number }> {
  const waiting = turns.filter(({ verdict }) => verdict.status === 'pending');
  const queued = waiting.filter(({ request }) => request.queued).length;
  const [first] = waiting;
  if (first === undefined) return { pending: null, queued };
  const launcher = first.request.queued ? (launchOf(first)?.launcher ?? null) : first.request.claimer;
  if (!first.request.queued || (launcher !== null && livenessOf(launcher) === 'yes'))
    return { pending: LAUNCHING, queued };
  const earlier = turns.find(
    ({ turn, verdict: { status } }) => turn < first.turn && !isFinal(status) && isActive(status),
  );
  const why = await whyWaits(first, earlier?.turn ?? null, nowMs, known);
  return { pending: why ?? holdOf(first, nowMs) ?? (await whyNotStarted(first, nowMs, known)), queued };
}
