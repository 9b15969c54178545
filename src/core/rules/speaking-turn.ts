import { undoneOf } from '../conversation/undone.ts';
import type { TurnStatus } from '../status.ts';
import { isAdopted, isExternal } from '../turn-kinds.ts';

interface Turn {
  readonly turn: number;
  readonly request: { readonly kind: string; readonly queued: boolean; readonly to: number | null };
  /** Whether nothing runs in it: it only says something of other turns. */
  readonly isMarker: boolean;
  /** Null while no runner has shown itself. */
  readonly runner: object | null;
  readonly verdict: { readonly status: TurnStatus };
}

/** Whether a turn was or is carried out: no older one runs, as turns run one after the other. */
function hasBegun({ request: { kind }, isMarker, runner, verdict: { status } }: Turn): boolean {
  // The turn that holds the session open runs until all that was said is recorded.
  if (isMarker || isExternal(kind)) return false;
  return runner !== null || isAdopted(kind) || status === 'running' || status === 'unknown';
}

/** Whether a turn waited, and was withdrawn before it began: its message is not part of the conversation. */
export function isWithdrawn({
  request,
  runner,
  verdict: { status },
}: Pick<Turn, 'request' | 'runner' | 'verdict'>): boolean {
  return request.queued && runner === null && status === 'killed';
}

/** The numbers of the turns that were rewound, of turns newest first. */
const undoneAmong = (newestFirst: readonly Turn[]): ReadonlySet<number> =>
  undoneOf(newestFirst.map(({ turn, request: { to } }) => ({ turn, to })));

/** Whether no turn older than these can speak for the session: that its conversation stands at the last of them. */
export function endsSearch(newestFirst: readonly Turn[]): boolean {
  const last = newestFirst.at(-1);
  return last !== undefined && hasBegun(last) && !undoneAmong(newestFirst).has(last.turn);
}

/** The turns of the conversation among turns newest first: without markers, what was rewound, and what was withdrawn. */
export function inConversation<T extends Turn>(newestFirst: readonly T[]): readonly T[] {
  const undone = undoneAmong(newestFirst);
  return newestFirst.filter((turn) => !turn.isMarker && !undone.has(turn.turn) && !isWithdrawn(turn));
}

/** Which turn speaks for a session, and where its conversation stands. */
export interface Speaking<T> {
  /** The one that runs; else the oldest that waits; else the newest of the conversation; null where none has run: `ready`. */
  readonly current: T | null;
  /** The turns that wait behind it, oldest first. */
  readonly behind: readonly T[];
  /** The newest turn of the conversation, also a copied one; null where that is empty. */
  readonly last: T | null;
  /** Whether the turn that speaks was rewound: it runs or waits all the same, and its answer does not count. */
  readonly isUndone: boolean;
}

/**
 * The turn that speaks for a session. What was rewound speaks only while it runs or waits; markers and messages that were
 * withdrawn never do, nor do the `copied` first turns of a fork, which ran in another session. Of a session all of whose
 * messages were withdrawn the newest one says so.
 * @param newestFirst all turns, or no more than those up to the first with which the search ends
 */
export function speakingTurn<T extends Turn>(newestFirst: readonly T[], copied: number): Speaking<T> {
  const undone = undoneAmong(newestFirst);
  const turns = newestFirst.filter(({ isMarker }) => !isMarker);
  const newest = turns.find(hasBegun) ?? null;
  const last = inConversation(newestFirst)[0] ?? null;
  const speaks = (current: T | null, behind: readonly T[]): Speaking<T> => {
    const isUndone = current !== null && undone.has(current.turn);
    return { current, behind, last, isUndone };
  };
  const waiting = turns.filter(({ verdict }) => verdict.status === 'pending').reverse();
  if (newest?.verdict.status === 'running' || newest?.verdict.status === 'unknown')
    return speaks(newest, waiting);
  const [next, ...behind] = waiting;
  if (next !== undefined) return speaks(next, behind);
  if (last !== null) return speaks(last.turn > copied ? last : null, []);
  return speaks(newestFirst.every(isWithdrawn) ? (newestFirst[0] ?? null) : null, []);
}
