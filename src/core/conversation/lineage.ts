import type { How, TurnKind } from '../session.ts';

/** A part of a conversation: a turn with its messages and steps, or a summary of earlier turns. */
export interface Part {
  readonly kind: 'turn' | 'summary';
  readonly turn: number;
}

/** What the course of a conversation depends on, of one turn. */
export interface LineageTurn {
  readonly turn: number;
  readonly kind: TurnKind;
  /** Of a rewind: the turn to which it winds back, 0 for the beginning. */
  readonly to: number | null;
  readonly how: How | null;
  /** The thread that was to be continued or forked, or null. */
  readonly asked: string | null;
  /** Whether it was to be forked. */
  readonly forks: boolean;
  /** The thread that the agent named: null when the message never reached it. */
  readonly threadId: string | null;
  /** A compaction that came to an answer. */
  readonly summarised: boolean;
  /** The agent reported that it no longer has the thread that it should continue. */
  readonly threadGone: boolean;
}

/** A conversation as it stands. */
export interface Lineage {
  /** What the agent is to know, oldest first. */
  readonly parts: readonly Part[];
  /** The thread of the agent that holds exactly these parts, or null: each turn ran in one, so that two never do. */
  readonly thread: string | null;
  /** The turns that were not wound back, with those that a summary stands for: what a person reads. */
  readonly shown: readonly number[];
  /** What a replay contains: the parts, with the messages that never reached the agent. */
  readonly told: readonly Part[];
}

/** The beginning of a list that others may have appended to: what was after each turn shares one list, not a copy each. */
interface Prefix<T> {
  readonly list: T[];
  readonly length: number;
}

function append<T>({ list, length }: Prefix<T>, item: T): Prefix<T> {
  const own = list.length === length ? list : list.slice(0, length);
  own.push(item);
  return { list: own, length: length + 1 };
}

function isSame(a: Prefix<Part>, b: Prefix<Part>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) {
    if (a.list[i]?.kind !== b.list[i]?.kind || a.list[i]?.turn !== b.list[i]?.turn) return false;
  }
  return true;
}

/** A conversation as it was after one of its turns. */
interface Moment {
  readonly parts: Prefix<Part>;
  readonly shown: Prefix<number>;
}

const nothing = <T>(): Prefix<T> => ({ list: [], length: 0 });

/** What a turn adds to a conversation. */
function partsAfter(before: Prefix<Part>, { turn, summarised }: LineageTurn): Prefix<Part> {
  return summarised ? append(nothing(), { kind: 'summary', turn }) : append(before, { kind: 'turn', turn });
}

/** What the thread of a turn held before it; null where that is not known. */
function baseOf(
  lineageTurn: LineageTurn,
  before: Prefix<Part>,
  contents: ReadonlyMap<string, Prefix<Part> | null>,
): Prefix<Part> | null {
  const { how, asked, forks, threadId } = lineageTurn;
  if (how === 'replay') return before;
  const continued = asked !== null && (forks || threadId === asked);
  // A thread that was begun instead of the one that was asked for knows nothing of what was before.
  return continued ? (contents.get(asked) ?? null) : nothing();
}

/**
 * Folds the turns of a session, 1 to the newest, into the conversation that they come to. A rewind makes it what it was
 * right after an earlier turn, markers and compactions included, so that each of them can be undone by another. A
 * message that never reached the agent is shown, and told to a new thread; the agent's own thread goes on without it.
 */
export function lineageOf(turns: readonly LineageTurn[]): Lineage {
  let now: Moment = { parts: nothing(), shown: nothing() };
  const after: Moment[] = [now];
  // What each thread of the agent holds; null: something that no record tells of.
  const contents = new Map<string, Prefix<Part> | null>();
  for (const lineageTurn of turns) {
    const { turn, kind, to, threadId, asked } = lineageTurn;
    if (kind === 'rewind') now = (to === null ? undefined : after[to]) ?? now;
    else {
      if (lineageTurn.threadGone && asked !== null) contents.delete(asked);
      let { parts } = now;
      if (threadId !== null) {
        const base = baseOf(lineageTurn, parts, contents);
        contents.set(threadId, base === null ? null : append(base, { kind: 'turn', turn }));
        parts = partsAfter(parts, lineageTurn);
      }
      now = { parts, shown: append(now.shown, turn) };
    }
    after.push(now);
  }
  const parts = now.parts.list.slice(0, now.parts.length);
  const shown = now.shown.list.slice(0, now.shown.length);
  const holding = [...contents].find(([, held]) => held !== null && isSame(held, now.parts));
  return {
    parts,
    thread: parts.length === 0 ? null : (holding?.[0] ?? null),
    shown,
    told: toldOf(parts, shown),
  };
}

function toldOf([first]: readonly Part[], shown: readonly number[]): readonly Part[] {
  const isSummary = first?.kind === 'summary';
  const after = isSummary ? first.turn : 0;
  const turns = shown.filter((turn) => turn > after).map((turn): Part => ({ kind: 'turn', turn }));
  return isSummary ? [first, ...turns] : turns;
}
