import { foldEvents, type TurnOutcome } from '../../core/conversation/fold.ts';
import type { Terminal } from '../../core/status.ts';
import { readLines } from '../../store/read-forward.ts';
import { type EndSizes, readFromEnd } from '../../store/read-from-end.ts';
import { eventsOf, type TurnStream } from './turn-stream.ts';

/*
 * What a turn came to, from the two ends of its stream: that costs the same however much an agent has printed.
 */

/** An agent names its thread before anything else. */
const HEAD_BYTES = 1 << 16;

/** The thread that is named first at the beginning of a stream. @throws DamagedRecord */
export function readThreadId({ path, range, parse }: TurnStream): string | null {
  const limit = Math.min(range.limit ?? HEAD_BYTES, HEAD_BYTES);
  for (const event of eventsOf(readLines(path, { limit, ended: range.ended }), parse)) {
    if (event.type === 'thread_started') return event.threadId;
  }
  return null;
}

/** An agent reports its tokens and the end of a turn last: what has so many bytes behind it is no end. */
const END_BYTES = 1 << 18;

/** The last answer is looked for further up, but not for longer than somebody who looks at a list would notice. */
export const ANSWER_BYTES = 1 << 22;

/** The last terminal event of a stream that nobody writes to any more. @throws DamagedRecord */
export function readTerminal({ path, range, parse }: TurnStream, sizes?: EndSizes): Terminal | null {
  for (const { lines, behind } of readFromEnd(path, range, sizes)) {
    if (behind >= END_BYTES) break;
    const { terminal } = foldEvents(eventsOf(lines, parse));
    if (terminal !== null) return terminal;
  }
  return null;
}

/**
 * What a turn came to: its thread from the beginning of the stream, all else from its end. The tokens and the terminal
 * event of a turn that goes on count only as far as its last answer was looked for. @throws DamagedRecord
 */
export function readOutcome(stream: TurnStream, sizes?: EndSizes): TurnOutcome {
  const { path, range, parse } = stream;
  let answer: string | null = null;
  let end: Pick<TurnOutcome, 'usage' | 'terminal'> = { usage: null, terminal: null };
  for (const { lines, behind } of readFromEnd(path, range, sizes)) {
    if (behind >= (answer === null ? ANSWER_BYTES : END_BYTES)) break;
    const fold = foldEvents(eventsOf(lines, parse));
    answer ??= fold.answer;
    if (behind < END_BYTES) {
      end = { usage: end.usage ?? fold.usage, terminal: end.terminal ?? fold.terminal };
    }
    if (answer !== null && !(range.ended && (end.usage === null || end.terminal === null))) break;
  }
  return { threadId: readThreadId(stream), answer, ...end };
}
