import type { Message } from '../../core/session.ts';
import type { ConversationReader } from './read-session.ts';

/** How much of a conversation is wanted. */
export interface HistoryOptions {
  /** At most so many messages, the newest; fewer where the first of them would not be the user's. */
  readonly maxMessages?: number | undefined;
}

/**
 * What the agent is to know of a conversation, as messages of the user and the assistant, oldest first: without what was
 * wound back, and with a summary (an assistant's message) for what it replaces. When cut, it begins with a user's message.
 */
export function history(
  { turns, parts }: Pick<ConversationReader, 'turns' | 'parts'>,
  { maxMessages }: HistoryOptions = {},
): readonly Message[] {
  const messages = parts.flatMap(({ kind, turn }): readonly Message[] => {
    const reader = turns.find(({ view }) => view.turn === turn);
    const ofTurn = [...(reader?.messages(false) ?? [])];
    return kind === 'turn' ? ofTurn : ofTurn.slice(-1);
  });
  if (maxMessages === undefined || messages.length <= maxMessages) return messages;
  const newest = maxMessages <= 0 ? [] : messages.slice(-maxMessages);
  const first = newest.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : newest.slice(first);
}
