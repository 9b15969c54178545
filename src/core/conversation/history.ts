import type { Message } from '../session.ts';

/** How much of a conversation is wanted: the newest of it that fits, counted in messages and in characters of their text. */
export interface HistoryBudget {
  readonly maxMessages?: number | undefined;
  readonly maxChars?: number | undefined;
}

/** What stands for earlier turns: their summary as the user's words, so that roles go on to alternate, and an answer. */
export function summaryMessages({ turn, timestamp }: Message, summary: string): readonly Message[] {
  const told = `This is a summary of our conversation so far:\n\n${summary}`;
  const answer = { role: 'assistant', content: 'I have read the summary.', turn, timestamp } as const;
  return [{ role: 'user', content: told, turn, timestamp }, answer];
}

/** The newest messages within a budget, beginning with one of the user's; none where not even those fit. */
export function newestThatFit(
  messages: readonly Message[],
  { maxMessages = messages.length, maxChars = Number.POSITIVE_INFINITY }: HistoryBudget,
): readonly Message[] {
  let chars = 0;
  let start = messages.length;
  for (const { content } of messages.toReversed()) {
    chars += content.length;
    if (messages.length - start >= maxMessages || chars > maxChars) break;
    start -= 1;
  }
  const first = messages.findIndex(({ role }, i) => i >= start && role === 'user');
  return first < 0 ? [] : messages.slice(first);
}
