import { createReportFolder, type TurnWords } from '../core/conversation/words.ts';
import type { AgentEvent, LineParser } from '../core/events.ts';
import type { LinePlace } from '../store/again.ts';
import { followLines, LINE_SIZES, type LineFollower, type LineSizes } from '../store/follow.ts';
import { DamagedRecord } from '../store/read-file.ts';
import type { TurnStream } from './stream.ts';

/*
 * How a turn ended is told before its messages, so that all of it is read before the first of them can be shown. Memory
 * must not grow with what was said: of each message no more is held than where its line stands, and that is read again.
 */

/** So many places are kept together. */
const BLOCK = 1 << 10;

/** The messages of one turn. */
interface SaidMessages {
  /** Takes in a line that says something. */
  add(line: LinePlace): void;
  /** The text of the last message, or null. @throws DamagedRecord where it is no longer there */
  last(): string | null;
  /** The texts of all messages, in order, read anew each time. @throws DamagedRecord likewise */
  readonly messages: Iterable<string>;
}

function isMessage(event: AgentEvent): event is Extract<AgentEvent, { type: 'message' }> {
  return event.type === 'message';
}

/** The messages of a turn by the places of their lines, which are read again by who read them first. */
function placeMessages(lines: LineFollower<unknown>, parse: LineParser): SaidMessages {
  // Outside of V8's heap, which would become larger with what outlives its young days; and never copied.
  const blocks: Float64Array[] = [];
  let count = 0;

  function add({ at, bytes }: LinePlace): void {
    const index = (count % BLOCK) * 2;
    if (index === 0) blocks.push(new Float64Array(BLOCK * 2));
    blocks.at(-1)?.set([at, bytes], index);
    count += 1;
  }

  function* placesFrom(first: number): Generator<LinePlace> {
    for (let i = first; i < count; i += 1) {
      const block = blocks[Math.floor(i / BLOCK)];
      const index = (i % BLOCK) * 2;
      yield { at: block?.[index] ?? 0, bytes: block?.[index + 1] ?? 0 };
    }
  }

  function* textsFrom(first: number): Generator<string> {
    if (first >= count) return;
    for (const text of lines.again(placesFrom(first))) {
      const events = parse({ seq: 0, text });
      if (!events.some(isMessage))
        throw new DamagedRecord('what was said was written over while it was read');
      for (const event of events) if (isMessage(event)) yield event.text;
    }
  }

  return {
    add,
    last: () => [...textsFrom(Math.max(0, count - 1))].at(-1) ?? null,
    messages: { [Symbol.iterator]: () => textsFrom(0) },
  };
}

/**
 * What was said in a turn; all messages but the last are only read when somebody walks through them. Steps that the sieve
 * knows are not parsed: what is in their midst is taken on trust.
 */
export function readWords(
  { path, range, parse, sieve }: TurnStream,
  sizes: LineSizes = LINE_SIZES,
): TurnWords {
  const folder = createReportFolder();
  const lines = followLines(path, sizes, sieve, 0);
  const said = placeMessages(lines, parse);
  for (const line of lines.read(range)) {
    if ('type' in line) {
      folder.add(line);
      if (line.type === 'said') said.add(line);
    } else {
      const events = parse(line);
      for (const event of events) folder.add(event);
      if (events.some(isMessage)) said.add(line);
    }
  }
  return { ...folder.result(range.ended), answer: said.last(), messages: said.messages };
}
