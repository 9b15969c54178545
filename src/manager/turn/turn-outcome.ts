import { foldEvents, type TurnOutcome } from '../../core/conversation/fold.ts';
import type { Terminal } from '../../core/status.ts';
import { readLines } from '../../store/read-forward.ts';
import { type EndSizes, readFromEnd } from '../../store/read-from-end.ts';
import { eventsOf, type TurnStream } from './turn-stream.ts';

/*
 * The outcome of a turn from the two ends of its stream, however long that is. All of these throw DamagedRecord.
 */

/** An agent names its thread before anything else. */
const HEAD_BYTES = 1 << 16;

/** An agent reports its tokens and the end of a turn last: an event with so many bytes after it is not the end. */
const END_BYTES = 1 << 18;

/** The last answer may lie further up; the search stops before a list becomes noticeably slow. */
export const ANSWER_BYTES = 1 << 22;

/** The first thread that a stream names at its beginning, and the model with it. */
function readThread({ path, range, newParser }: TurnStream): Pick<TurnOutcome, 'threadId' | 'model'> {
  const limit = Math.min(range.limit ?? HEAD_BYTES, HEAD_BYTES);
  for (const event of eventsOf(readLines(path, { limit, ended: range.ended }), newParser())) {
    if (event.type === 'thread_started') return { threadId: event.threadId, model: event.model ?? null };
  }
  return { threadId: null, model: null };
}

/** The thread of a turn, where something else than its stream tells it; else the first one that its stream names. */
export const readThreadId = (stream: TurnStream): string | null =>
  stream.threadId ?? readThread(stream).threadId;

/** The last terminal event of a stream that is complete. */
export function readTerminal(stream: TurnStream, sizes?: EndSizes): Terminal | null {
  const { path, range, newParser, readsWhole } = stream;
  if (readsWhole) return foldEvents(eventsOf(readLines(path, range), newParser())).terminal;
  for (const { lines, behind } of readFromEnd(path, range, sizes)) {
    if (behind >= END_BYTES) break;
    const { terminal } = foldEvents(eventsOf(lines, newParser()));
    if (terminal !== null) return terminal;
  }
  return null;
}

/**
 * The outcome of a turn: its thread from the beginning of the stream, all else from its end. While the turn runs, tokens
 * and terminal event count only as far as the search for the last answer goes. Where the whole stream tells them, it is read
 * once the turn has ended.
 */
export function readOutcome(stream: TurnStream, sizes?: EndSizes): TurnOutcome {
  const { path, range, newParser, readsWhole } = stream;
  if (readsWhole && range.ended) {
    const fold = foldEvents(eventsOf(readLines(path, range), newParser()));
    return { ...fold, threadId: stream.threadId ?? fold.threadId };
  }
  let answer: string | null = null;
  let end: Pick<TurnOutcome, 'tokens' | 'terminal'> = { tokens: null, terminal: null };
  for (const { lines, behind } of readFromEnd(path, range, sizes)) {
    if (behind >= (answer === null ? ANSWER_BYTES : END_BYTES)) break;
    const fold = foldEvents(eventsOf(lines, newParser()));
    answer ??= fold.answer;
    if (behind < END_BYTES)
      end = { tokens: end.tokens ?? fold.tokens, terminal: end.terminal ?? fold.terminal };
    if (answer !== null && !(range.ended && (end.tokens === null || end.terminal === null))) break;
  }
  const thread = { ...readThread(stream), ...(stream.threadId !== null && { threadId: stream.threadId }) };
  return { ...thread, answer, ...end, ...(readsWhole && { tokens: null }) };
}
