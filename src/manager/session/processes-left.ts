import type { SessionState } from '../../core/session.ts';
import { isAtRest } from '../../core/status.ts';
import { parseMark } from '../../core/turn-mark.ts';
import { isAlive, SHOWS_MARKS } from '../../process/identity.ts';
import { type Census, createCensus } from '../../process/turn-processes.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { listTurns, readExit, readRequest, readSessionRecord } from '../../store/sessions.ts';
import type { Session, Turn } from '../context.ts';

/** What a turn that has ended has left running. */
export interface LeftTurn extends Turn {
  readonly nonce: string;
  readonly pids: readonly number[];
}

/** Tells something of what the ended turns of a session have left running; null where that cannot be told. */
type OfLeft<T> = (session: Session, state: Pick<SessionState, 'status' | 'turn'>) => T | null;
export type LeftCount = OfLeft<number>;

/** The processes of turns, with their marks; without runners and their helpers, which live on while they settle. */
const markedIn = (census: Census) =>
  census.processes().flatMap(({ pid, start, mark }) => {
    const parts = /\.(?:runner|watcher)$/.test(mark) ? null : parseMark(mark);
    return parts === null ? [] : [{ ...parts, pid, start }];
  });

/**
 * Tells what turns have left, from one look at all processes: when it is first asked about one that has ended. What has begun
 * since `state` was read is no turn that has ended, unless its end is recorded.
 */
export function createLeftOf(census: Census = createCensus()): OfLeft<readonly LeftTurn[]> {
  let known: ReturnType<typeof markedIn> | undefined;
  return ({ store, id }, { status, turn: speaking }) => {
    if (!SHOWS_MARKS || status === 'unknown' || status === 'damaged') return null;
    if (!isAtRest(status) && (speaking ?? 0) <= 1) return [];
    const until = isAtRest(status) ? (speaking ?? 0) : (speaking ?? 0) - 1;
    known ??= markedIn(census);
    const own = known.filter(({ session }) => session === id);
    if (own.length === 0) return [];
    // Turns that were unpacked ran in another session of that name.
    const copied = unlessDamaged(() => readSessionRecord({ store, id }).unpacked?.turn) ?? 0;
    return [...new Set(own.map(({ turn }) => turn))].flatMap((number): LeftTurn[] => {
      const turn = { store, id, turn: number };
      const nonce = unlessDamaged(() => readRequest(turn).nonce);
      const hasEnded = number <= until || unlessDamaged(() => readExit(turn)) !== null;
      if (nonce === null || !hasEnded || number <= copied) return [];
      // One may have ended since, with its turn.
      const left = own.filter((one) => one.turn === number && one.nonce === nonce && isAlive(one));
      const pids = left.map(({ pid }) => pid).sort((a, b) => a - b);
      return pids.length === 0 ? [] : [{ ...turn, nonce, pids }];
    });
  };
}

/** The processes that a session has left which has no turn that runs, and will have none. */
export function pidsLeftBy(session: Session, census: Census): readonly number[] {
  const turn = unlessDamaged(() => listTurns(session).at(-1)) ?? null;
  const left = createLeftOf(census)(session, { status: 'completed', turn }) ?? [];
  return left.flatMap(({ pids }) => pids);
}

/** How many processes these are. */
export const countLeft = (left: readonly LeftTurn[]): number =>
  left.reduce((sum, { pids }) => sum + pids.length, 0);

/** Tells how many processes turns have left, likewise. */
export function createLeftCount(): LeftCount {
  const leftOf = createLeftOf();
  return (session, state) => {
    const left = leftOf(session, state);
    return left && countLeft(left);
  };
}
