import type { How, TurnKind } from '../session.ts';

/** A piece of what an agent is to know: a turn with all that was said and done in it, or a summary of what was before. */
export interface Part {
  readonly kind: 'turn' | 'summary';
  readonly turn: number;
}

/** What the course of a conversation depends on, of one turn. */
export interface TurnPlace {
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
  /** The agent said that it no longer has the thread which it was to continue. */
  readonly threadGone: boolean;
}

/** A conversation as it stands. */
export interface Lineage {
  /** What the agent is to know, oldest first. */
  readonly parts: readonly Part[];
  /** The thread of the agent that holds exactly these parts, or null; its newest one. */
  readonly thread: string | null;
  /** The turns that were not wound back, with those that a summary stands for: what a person reads. */
  readonly shown: readonly number[];
}

const EMPTY: Lineage = { parts: [], thread: null, shown: [] };

function isSame(a: readonly Part[], b: readonly Part[]): boolean {
  return a.length === b.length && a.every((part, i) => part.kind === b[i]?.kind && part.turn === b[i]?.turn);
}

/** What a turn adds to a conversation. */
function partsAfter(before: readonly Part[], { turn, summarised }: TurnPlace): readonly Part[] {
  return summarised ? [{ kind: 'summary', turn }] : [...before, { kind: 'turn', turn }];
}

/** What the thread in which a turn ran held before it; null when nobody knows. */
function baseOf(
  place: TurnPlace,
  before: readonly Part[],
  contents: ReadonlyMap<string, readonly Part[] | null>,
): readonly Part[] | null {
  const { how, asked, forks, threadId } = place;
  if (how === 'replay') return before;
  const continued = asked !== null && (forks || threadId === asked);
  // A thread that was begun instead of the one that was asked for knows nothing of what was before.
  return continued ? (contents.get(asked) ?? null) : [];
}

/**
 * Folds the turns of a session, 1 to the newest, into the conversation that they come to. A rewind makes it what it was
 * right after an earlier turn, markers and compactions included, so that each of them can be undone by another. A
 * message that never reached the agent is shown, and is no part of what the agent is to know.
 */
export function lineageOf(turns: readonly TurnPlace[]): Lineage {
  const after: Lineage[] = [EMPTY];
  // What each thread of the agent holds; null: something that no record tells of.
  const contents = new Map<string, readonly Part[] | null>();
  const equal = (parts: readonly Part[]): string | null => {
    const found = [...contents].filter(([, held]) => held !== null && isSame(held, parts));
    return found.at(-1)?.[0] ?? null;
  };
  for (const place of turns) {
    const { turn, kind, threadId, asked } = place;
    const before = after.at(-1) ?? EMPTY;
    if (kind === 'rewind') {
      after.push(after[place.to ?? turn - 1] ?? before);
      continue;
    }
    if (place.threadGone && asked !== null) contents.delete(asked);
    let { parts } = before;
    if (threadId !== null) {
      const base = baseOf(place, before.parts, contents);
      // Moved to the end: the newest is found last.
      contents.delete(threadId);
      contents.set(threadId, base === null ? null : [...base, { kind: 'turn', turn }]);
      parts = partsAfter(before.parts, place);
    }
    after.push({ parts, thread: null, shown: [...before.shown, turn] });
  }
  const last = after.at(-1) ?? EMPTY;
  return { ...last, thread: last.parts.length === 0 ? null : equal(last.parts) };
}
