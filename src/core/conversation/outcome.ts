import type { AgentEvent, UsageReport } from '../events.ts';
import { cutFailure, cutText } from '../session.ts';
import type { Terminal } from '../status.ts';

/** What a turn came to: all that lists and deciding verbs need, of bounded size however much its agent printed. */
export interface TurnOutcome {
  /** The thread that the agent named first: a forged second one changes nothing. */
  readonly threadId: string | null;
  /** The last assistant message of this turn, cut as lists show it, or null. */
  readonly answer: string | null;
  /** The last token report of this turn, as the agent gave it. */
  readonly usage: UsageReport | null;
  readonly terminal: Terminal | null;
}

/** What a fold counts and keeps while the events of one turn arrive. */
export interface Folder<F> {
  add(event: AgentEvent): void;
  /** The result so far. `ended`: the turn is over, so what never completed was interrupted. */
  result(ended: boolean): F;
}

/** The end of the turn that an event tells, or null. */
export function terminalOf(event: AgentEvent): Terminal | null {
  if (event.type === 'turn_completed') return { kind: 'completed' };
  if (event.type === 'turn_failed') return { kind: 'failed', message: cutFailure(event.message) };
  return null;
}

/** A fold that keeps the outcome alone. Pure: its result is a function of the events alone. */
export function createOutcomeFolder(): Folder<TurnOutcome> {
  let threadId: string | null = null;
  let answer: string | null = null;
  let usage: UsageReport | null = null;
  let terminal: Terminal | null = null;

  return {
    add(event) {
      terminal = terminalOf(event) ?? terminal;
      if (event.type === 'thread_started') threadId ??= event.threadId;
      else if (event.type === 'message') answer = event.text;
      else if (event.type === 'usage') usage = event.usage;
    },
    result: () => ({ threadId, answer: answer === null ? null : cutText(answer), usage, terminal }),
  };
}

/** The outcome of a stream from those of its two parts. */
export function joinOutcomes(earlier: TurnOutcome, later: TurnOutcome): TurnOutcome {
  return {
    threadId: earlier.threadId ?? later.threadId,
    answer: later.answer ?? earlier.answer,
    usage: later.usage ?? earlier.usage,
    terminal: later.terminal ?? earlier.terminal,
  };
}
