import type { AgentEvent, Line } from '../events.ts';

/*
 * The session file of an agent: all that was said and done in one thread, also without zwarm.
 */

/** What one line says. */
export interface HistoryLine {
  /** What the user said there: a turn begins. */
  readonly prompt: string | null;
  /** The thread that the file holds, the directory in which it works, and the version of the agent that wrote the line. */
  readonly thread: FileThread | null;
  readonly model: string | null;
  readonly atMs: number | null;
  /** The user interrupted the turn. */
  readonly interrupted: boolean;
  /** Which line it is, and which one it follows, where a file holds several branches of a conversation. */
  readonly node: { readonly id: string; readonly parent: string | null } | null;
  readonly events: readonly AgentEvent[];
}

export interface FileThread {
  readonly id: string;
  readonly directory: string;
  readonly version: string;
}

/** A thread of an agent that can be imported: the JSON contract of `docs/formats.md`. */
export interface ThreadInfo {
  readonly agent: string;
  readonly thread_id: string;
  /** Of the first message. */
  readonly title: string;
  readonly working_dir: string;
  readonly updated_at: string;
  /** Its session file. */
  readonly file: string;
}

/** Reads the lines of one file, from any line on; never throws. */
export type HistoryReader = (line: Line) => HistoryLine;

/** What a file says as a whole. */
export interface Survey {
  readonly thread: FileThread | null;
  /** The model that was used last. */
  readonly model: string | null;
  readonly firstPrompt: string | null;
  /** When that was said (ms since the epoch). */
  readonly beganMs: number | null;
  /** The last line that can be followed, and the lines of its branch; null where there are no branches. */
  readonly last: string | null;
  readonly branch: ReadonlySet<string> | null;
}

/** The lines from the last one back to the first. */
function branchTo(leaf: string | null, parents: ReadonlyMap<string, string | null>): Survey['branch'] {
  if (leaf === null) return null;
  const branch = new Set<string>();
  for (let at: string | null = leaf; at !== null && !branch.has(at); at = parents.get(at) ?? null)
    branch.add(at);
  return branch;
}

/** Reads a file as a whole; with `headOnly` no further than to its first prompt. */
export function survey(lines: Iterable<Line>, read: HistoryReader, headOnly = false): Survey {
  const parents = new Map<string, string | null>();
  let found = { thread: null, model: null, firstPrompt: null, beganMs: null } as Omit<
    Survey,
    'branch' | 'last'
  >;
  let leaf: string | null = null;
  for (const line of lines) {
    const { thread, model, prompt, atMs, node } = read(line);
    found = {
      // A fork begins with the lines of the thread that it was forked from.
      thread: thread === null ? found.thread : { ...(found.thread ?? thread), version: thread.version },
      model: model ?? found.model,
      firstPrompt: found.firstPrompt ?? prompt,
      beganMs: found.firstPrompt === null && prompt !== null ? atMs : found.beganMs,
    };
    if (node !== null) {
      parents.set(node.id, node.parent);
      leaf = node.id;
    }
    if (headOnly && found.thread !== null && found.firstPrompt !== null) break;
  }
  return { ...found, last: leaf, branch: headOnly ? null : branchTo(leaf, parents) };
}

/** One turn of a thread. */
export interface FileTurn {
  /** Null where the agent went on without a message. */
  readonly prompt: string | null;
  /** When that was said (ms since the epoch); null where that is not known. */
  readonly startedMs: number | null;
  /** When the first of it happened. */
  readonly atMs: number | null;
  /** Its lines, to be read once, and before the next turn is asked for. */
  readonly lines: Iterable<string>;
  /** How it ended, once its lines were read. */
  end(): FileTurnEnd;
}

export interface FileTurnEnd {
  readonly endedMs: number | null;
  /** Whether the user cut it off, if only by the next message. */
  readonly interrupted: boolean;
  /** Whether the agent has said how it ended. */
  readonly ended: boolean;
}

/** What is known so far of the turn that is being read. */
type Begun = FileTurnEnd & Pick<FileTurn, 'prompt' | 'startedMs'>;

const UNASKED: Begun = { prompt: null, startedMs: null, endedMs: null, interrupted: false, ended: false };

/** What tells whether a turn has ended. */
const ENDS = new Set<AgentEvent['type']>(['turn_started', 'turn_completed', 'turn_failed']);

/** What is no work of a turn: it alone does not make one. */
const NO_WORK = new Set<AgentEvent['type']>(['redundant', 'thread_started', 'malformed']);

/** A turn after one more of its lines. */
function after(turn: Begun, { prompt, atMs, interrupted, events }: HistoryLine): Begun {
  if (prompt !== null) return { ...UNASKED, prompt, startedMs: atMs, endedMs: atMs };
  const work = events.filter(({ type }) => !NO_WORK.has(type));
  if (work.length === 0 && !interrupted) return turn;
  const told = work.findLast(({ type }) => ENDS.has(type));
  return {
    ...turn,
    endedMs: atMs ?? turn.endedMs,
    interrupted: turn.interrupted || interrupted,
    ended: told === undefined ? turn.ended : told.type !== 'turn_started',
  };
}

/** The lines of the branch that goes on, with what they say. */
function* onBranch(lines: Iterable<Line>, read: HistoryReader, branch: Survey['branch']) {
  for (const { seq, text } of lines) {
    const said = read({ seq, text });
    if (said.node === null || branch === null || branch.has(said.node.id)) yield { said, text };
  }
}

/**
 * The turns of the branch that goes on, one after the other; no more than a line of them is in memory. What comes before the
 * first message belongs to it.
 */
export function* turnsOfFile(
  lines: Iterable<Line>,
  read: HistoryReader,
  { branch }: Pick<Survey, 'branch'>,
): Generator<FileTurn> {
  const all = onBranch(lines, read, branch);
  let next = all.next();
  let turn = UNASKED;
  /** The lines that follow, as long as they belong together. */
  function* linesWhile(isOf: (said: HistoryLine) => boolean): Generator<string> {
    while (!next.done && isOf(next.value.said)) {
      const { said, text } = next.value;
      turn = after(turn, said);
      if (text !== null) yield text;
      next = all.next();
    }
  }
  function* from(begun: readonly string[]): Generator<string> {
    yield* begun;
    yield* linesWhile(({ prompt }) => prompt === null);
  }
  for (;;) {
    turn = UNASKED;
    const begun = [...linesWhile(() => turn === UNASKED)];
    // What is said of nothing.
    if (turn === UNASKED) return;
    const { prompt, startedMs, endedMs } = turn;
    const own = from(begun);
    yield {
      ...{ prompt, startedMs, atMs: startedMs ?? endedMs, lines: own },
      end: () => ({
        endedMs: turn.endedMs,
        interrupted: turn.interrupted || (!next.done && !turn.ended),
        ended: turn.ended,
      }),
    };
    // Of a turn that nobody wanted to read.
    for (const _ of own);
  }
}
