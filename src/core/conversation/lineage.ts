import { isMarkerKind } from '../turn-kinds.ts';
import { undoneOf } from './undone.ts';

/** A part of a conversation: a turn with its messages and steps, or a summary of earlier turns. */
export interface Part {
  readonly kind: 'turn' | 'summary';
  readonly turn: number;
}

/** What the course of a conversation depends on, of one turn. */
export interface LineageTurn {
  readonly turn: number;
  readonly kind: string;
  /** Which agent ran it; null for one that we do not know. */
  readonly agent: string | null;
  /** Of a rewind: the turn to which it winds back, 0 for the beginning. */
  readonly to: number | null;
  readonly how: string | null;
  /** The thread that was to be continued, or to be forked where it `forks`; null for a new one. */
  readonly asked: string | null;
  readonly forks: boolean;
  /** The thread that the agent named: null when the message never reached it. */
  readonly threadId: string | null;
  /** It is a compaction that has an answer. */
  readonly summarised: boolean;
  /** It waited, and was withdrawn before it began. */
  readonly withdrawn: boolean;
  /** The agent reported that it no longer has the thread that it should continue. */
  readonly threadGone: boolean;
}

/** A conversation as it stands. */
export interface Lineage {
  /** What the agent is to know, oldest first. */
  readonly parts: readonly Part[];
  /** The thread of the agent that holds exactly these parts, or null: each turn ran in one, so that two never do. */
  readonly thread: string | null;
  /** The turns that were not rewound, with those that a summary stands for: what a person reads. */
  readonly shown: readonly number[];
  /** Those that were. */
  readonly undone: ReadonlySet<number>;
  /** What a replay contains: the parts, with the messages that never reached the agent. */
  readonly told: readonly Part[];
}

/** A list that shares its beginning with others; null is the empty one. */
type Chain<T> = { readonly last: T; readonly before: Chain<T> } | null;

function itemsOf<T>(chain: Chain<T>): readonly T[] {
  const items: T[] = [];
  for (let at = chain; at !== null; at = at.before) items.push(at.last);
  return items.reverse();
}

/** What the thread of a turn held before it; undefined where that is not known. */
function baseOf(
  { how, asked, forks, threadId }: LineageTurn,
  parts: Chain<Part>,
  contents: ReadonlyMap<string, Chain<Part>>,
): Chain<Part> | undefined {
  if (how === 'replay') return parts;
  // A thread that was begun instead of the one that was asked for knows nothing of what was before.
  return asked !== null && (forks || threadId === asked) ? contents.get(asked) : null;
}

/**
 * Folds the turns of a session, 1 to the newest, into its conversation. A rewind makes it what it was right after an
 * earlier turn, markers and compactions included. A message that never reached the agent is shown and replayed.
 */
export function lineageOf(turns: readonly LineageTurn[]): Lineage {
  let parts: Chain<Part> = null;
  const after: Chain<Part>[] = [parts];
  // What each thread of the agent holds; no entry where that is not known. Equal chains are the same object.
  const contents = new Map<string, Chain<Part>>();
  for (const place of turns) {
    const { turn, kind, to, threadId, asked } = place;
    if (kind === 'rewind') {
      const there = to === null ? undefined : after[to];
      if (there !== undefined) parts = there;
    } else if (!place.withdrawn) {
      if (place.threadGone && asked !== null) contents.delete(asked);
      if (threadId !== null) {
        const base = baseOf(place, parts, contents);
        const added: Chain<Part> = { last: { kind: 'turn', turn }, before: parts };
        if (base === undefined) contents.delete(threadId);
        else contents.set(threadId, base === parts ? added : { ...added, before: base });
        parts = place.summarised ? { last: { kind: 'summary', turn }, before: null } : added;
      }
    }
    after.push(parts);
  }
  const [thread = null] = [...contents].find(([, held]) => held === parts) ?? [];
  const known = itemsOf(parts);
  const undone = undoneOf(turns.toReversed());
  const shown = turns.flatMap(({ turn, kind, withdrawn }) =>
    isMarkerKind(kind) || withdrawn || undone.has(turn) ? [] : [turn],
  );
  const summary = known.filter(({ kind }) => kind === 'summary');
  const since = shown.filter((turn) => turn > (summary[0]?.turn ?? 0));
  const told = [...summary, ...since.map((turn) => ({ kind: 'turn', turn }) as const)];
  return { parts: known, thread, shown, undone, told };
}
