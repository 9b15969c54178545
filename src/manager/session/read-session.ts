import { type Lineage, lineageOf } from '../../core/conversation/lineage.ts';
import { messagesOf, type SessionReader, withoutMessages } from '../../core/conversation/session-reader.ts';
import type { Message, SessionDetail } from '../../core/session.ts';
import type { Session } from '../context.ts';
import { orDamaged, unknownTurn } from './damage.ts';
import { usageOf } from './session-state.ts';
import { listedOf, readTurns, rowOf } from './session-summary.ts';
import { lineageTurnOf } from './turn-lineage.ts';
import { createTurnReader } from './turn-reader.ts';

/** How much of a conversation to show. */
export interface DetailOptions {
  /** Only this turn; the session's own fields stay those of the whole. */
  readonly turn?: number | undefined;
  /** Also what the agent did between its messages. */
  readonly full?: boolean | undefined;
}

/** A session to be read, and its conversation as the agent should know it. */
export interface ConversationReader extends SessionReader {
  readonly parts: Lineage['parts'];
  /** The thread of the agent in which each turn ran. */
  readonly threads: ReadonlyMap<number, string>;
}

/** A session to be read. @throws ZwarmError `not_found`, `damaged`, also while its turns are iterated over */
export function readSession(session: Session, nowMs: number): Promise<ConversationReader> {
  return orDamaged(session, async () => {
    const reading = await readTurns(session, nowMs);
    const { record, turns, adapter } = reading;
    const usage = usageOf(turns);
    const row = rowOf(session, listedOf(reading, nowMs));
    const { shown, parts } = lineageOf(turns.map((turn) => lineageTurnOf(turn, adapter)));
    const current = turns.find(({ turn }) => turn === row.turn);
    return {
      summary: { ...row, task: record.task, last_message: current?.outcome.answer ?? null },
      turns: turns.map((turn, i) =>
        createTurnReader(reading, turn, usage[i] ?? null, shown.includes(turn.turn)),
      ),
      parts,
      threads: new Map(
        turns.flatMap(({ turn, outcome }) => (outcome.threadId === null ? [] : [[turn, outcome.threadId]])),
      ),
    };
  });
}

/** A session with one of its turns alone. @throws ZwarmError `usage` where there is no such turn */
export function onlyTurn<S extends SessionReader>(session: S, turn: number | undefined): S {
  if (turn === undefined) return session;
  const turns = session.turns.filter(({ view }) => view.turn === turn);
  if (turns.length > 0) return { ...session, turns };
  throw unknownTurn(session.summary.id, turn, session.turns.at(-1)?.view.turn ?? 0);
}

/** A whole session at once. @throws ZwarmError `not_found`, `damaged` */
export function inFull(session: SessionReader, full = false): SessionDetail {
  const messages = [...messagesOf(session, full)];
  return { ...withoutMessages(session), messages };
}

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
