import type { Message } from '../session.ts';

/** How much of a conversation is wanted: the newest of it that fits, counted in messages and in characters of their text. */
export interface HistoryBudget {
  readonly maxMessages?: number | undefined;
  readonly maxChars?: number | undefined;
}

/** A conversation for another program. */
export interface History {
  readonly messages: readonly Message[];
  /** What the budget has left out. */
  readonly leftOut: {
    /** How many messages, those of a summary included. */
    readonly messages: number;
    /** Whether a summary is among them: nothing tells then what was before it. */
    readonly summary: boolean;
  };
}

/** What stands for earlier turns: their summary as the user's words, so that roles go on to alternate, and an answer. */
export function summaryMessages({ turn, timestamp }: Message, summary: string): readonly Message[] {
  const told = `This is a summary of our conversation so far:\n\n${summary}`;
  const answer = { role: 'assistant', content: 'I have read the summary.', turn, timestamp } as const;
  return [{ role: 'user', content: told, turn, timestamp }, answer];
}

const charsOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0);

/** The newest messages within a budget. */
function newest(messages: readonly Message[], maxMessages: number, maxChars: number): readonly Message[] {
  let chars = 0;
  let start = messages.length;
  for (const { content } of messages.toReversed()) {
    chars += content.length;
    if (messages.length - start >= maxMessages || chars > maxChars) break;
    start -= 1;
  }
  return messages.slice(start);
}

/** From the first message of the user on. */
function fromUser(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : messages.slice(first);
}

/**
 * What fits of a conversation: the summary with which it begins (empty without one), and the newest messages since, beginning
 * with one of the user's. A summary that does not fit leaves its room to these.
 */
export function historyWithin(
  summary: readonly Message[],
  since: readonly Message[],
  { maxMessages = Number.POSITIVE_INFINITY, maxChars = Number.POSITIVE_INFINITY }: HistoryBudget,
): History {
  const fits = summary.length <= maxMessages && charsOf(summary) <= maxChars;
  const begin = fits ? summary : [];
  const recent = newest(since, maxMessages - begin.length, maxChars - charsOf(begin));
  // Right behind the summary a turn may have no message of its own, as where one is repeated.
  const isWhole = begin.length > 0 && recent.length === since.length;
  const messages = [...begin, ...(isWhole ? recent : fromUser(recent))];
  const leftOut = { messages: summary.length + since.length - messages.length, summary: !fits };
  return { messages, leftOut };
}
