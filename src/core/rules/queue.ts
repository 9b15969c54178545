import type { TurnStatus } from '../status.ts';
import { parseIso } from '../time.ts';

/**
 * Why a turn waits. `launching`: not for long; `queue`: for its turn; `after`: for another turn to complete, and
 * `failed_dependency`: that did not; `retry`: until its message is tried again; `budget`: for a day with a budget of its own;
 * `hold`: for its account; `slot`: for one of the turns that may run at once to end.
 */
export const PENDING_REASONS = [
  'launching',
  'queue',
  'after',
  'failed_dependency',
  'retry',
  'budget',
  'hold',
  'slot',
] as const;
export type PendingReason = (typeof PENDING_REASONS)[number];

/**
 * Why a turn waits, for programs (a `PendingReason`, or the word of a newer zwarm) and in words, and until when at least, if
 * that is known.
 */
export interface Pending {
  readonly reason: string;
  readonly detail: string;
  readonly not_before: string | null;
}

/** Until when something waits, in words. `isWoken`: something will go on then. */
export const untilWords = (time: string, isWoken: boolean): string =>
  `until ${time}; ${isWoken ? 'it goes on then' : 'nothing will wake it: zwarm wake'}`;

/** Why a turn waits that was put off; null once its time has come. */
export function postponement(
  { reason, detail, not_before }: Pending & { readonly not_before: string },
  nowMs: number,
  isWoken: boolean,
): Pending | null {
  if ((parseIso(not_before) ?? 0) <= nowMs) return null;
  return { reason, detail: `${detail}; ${untilWords(not_before, isWoken)}`, not_before };
}

/** A session that has to complete, or to end, before a turn begins. */
export interface Dependency {
  readonly id: string;
  /** Null where it was removed; `stuck` where it waits for what has failed. */
  readonly status: TurnStatus | 'stuck' | null;
}

/** What decides whether a queued turn may begin, its slot aside. */
export interface QueuedFacts {
  /** The number of an earlier turn of its session that has not ended, or null. */
  readonly behind: number | null;
  readonly after: readonly Dependency[];
  readonly evenIfFailed: boolean;
}

const COMES_NO_MORE: readonly Dependency['status'][] = ['failed', 'killed', 'lost', 'stuck', null];

/** Why a queued turn may not begin yet, its slot aside; null where it may. */
export function whyNotYet({ behind, after, evenIfFailed }: QueuedFacts): Pending | null {
  const because = (reason: PendingReason, detail: string): Pending => ({ reason, detail, not_before: null });
  if (behind !== null) return because('queue', `turn ${behind} of its session comes first`);
  const stopping = after.find(({ status }) => COMES_NO_MORE.includes(status));
  if (stopping !== undefined && !evenIfFailed) {
    const { id, status } = stopping;
    const end = status === null ? 'was removed' : status === 'stuck' ? 'does not begin' : `is ${status}`;
    return because('failed_dependency', `${id}, which it waits for, ${end}`);
  }
  const open = after.filter(({ status }) => status !== 'completed' && !COMES_NO_MORE.includes(status));
  return open.length === 0 ? null : because('after', `it waits for ${open.map(({ id }) => id).join(', ')}`);
}
