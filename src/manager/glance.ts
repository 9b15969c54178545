import { createOutcomeFolder, joinOutcomes, type TurnOutcome } from '../core/conversation/outcome.ts';
import type { Line, PassedOver } from '../core/events.ts';
import type { Terminal } from '../core/status.ts';
import { type PortionSizes, readBackwards } from '../store/backwards.ts';
import { readSieved } from '../store/lines.ts';
import { addLines, type TurnStream } from './stream.ts';

/*
 * How a turn stands, from the two ends of its stream: a list costs the same however much an agent has printed.
 */

/** An agent names its thread before anything else. */
const HEAD_BYTES = 1 << 16;

function outcomeOf(lines: Iterable<Line | PassedOver>, { parse }: TurnStream): TurnOutcome {
  const folder = createOutcomeFolder();
  addLines(folder, lines, parse);
  return folder.result(true);
}

/** The thread that is named first in a stream, or in its first `bytes` bytes; reads no further. @throws DamagedRecord */
export function readThreadId(stream: TurnStream, bytes: number | null = null): string | null {
  const { path, range, parse, sieve } = stream;
  const limit = Math.min(range.limit ?? Number.POSITIVE_INFINITY, bytes ?? Number.POSITIVE_INFINITY);
  for (const line of readSieved(path, { limit, ended: range.ended }, sieve)) {
    if ('type' in line) continue;
    for (const event of parse(line)) if (event.type === 'thread_started') return event.threadId;
  }
  return null;
}

/** The last terminal event of a stream that nobody writes to any more. @throws DamagedRecord */
export function readTerminal(stream: TurnStream, sizes?: PortionSizes): Terminal | null {
  for (const { lines } of readBackwards(stream.path, stream.range, stream.sieve, sizes)) {
    const { terminal } = outcomeOf(lines, stream);
    if (terminal !== null) return terminal;
  }
  return null;
}

/**
 * What a turn came to. Of one that is over this is just what all of its lines come to: what is not found at the end is
 * looked for up to the beginning. While a turn goes on, its last answer is; but tokens and a terminal event, which agents
 * tell at the end, count only as far as that search went, and the thread only where it is named at the beginning.
 * @throws DamagedRecord
 */
export function readOutcome(stream: TurnStream, sizes?: PortionSizes): TurnOutcome {
  const { path, range, sieve } = stream;
  let outcome = outcomeOf([], stream);
  for (const { from, lines } of readBackwards(path, range, sieve, sizes)) {
    outcome = joinOutcomes(outcomeOf(lines, stream), outcome);
    if (from === 0) return outcome;
    const { answer, usage, terminal } = outcome;
    if (answer === null || (range.ended && (usage === null || terminal === null))) continue;
    const named = readThreadId(stream, range.ended ? from : HEAD_BYTES);
    return { ...outcome, threadId: named ?? (range.ended ? outcome.threadId : null) };
  }
  return outcome;
}
