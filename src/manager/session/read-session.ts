import {
  type History,
  type HistoryBudget,
  historyWithin,
  summaryMessages,
} from '../../core/conversation/history.ts';
import { type Lineage, lineageOf, type Part } from '../../core/conversation/lineage.ts';
import { messagesOf, type SessionReader, withoutMessages } from '../../core/conversation/session-reader.ts';
import type { Message, SessionDetail } from '../../core/session.ts';
import { costOf } from '../../core/spending.ts';
import { isSaid } from '../../core/turn-kinds.ts';
import { readChangedFiles } from '../../store/summary.ts';
import type { Session } from '../context.ts';
import { orDamaged, unknownTurn } from './damage.ts';
import type { LeftCount } from './processes-left.ts';
import { type SessionReading, spentOf, usageOf } from './session-state.ts';
import { FOLD_VERSION, listedOf, readSessionFromStreams, rowOf } from './session-summary.ts';
import { createClocks } from './step-times.ts';
import { lineageTurnOf } from './turn-lineage.ts';
import { createTurnReader } from './turn-reader.ts';

/** How much of a conversation to show. */
export interface DetailOptions {
  /** Only this turn; the session's own fields stay those of the whole. */
  readonly turn?: number | undefined;
  /** Also what the agent did between its messages. */
  readonly full?: boolean | undefined;
  /** Count what ended turns have left running: a look at all processes of this machine. */
  readonly countsLeft?: boolean | undefined;
}

/** A session to be read, and its conversation as the agent should know it. */
export interface ConversationReader extends SessionReader {
  readonly parts: Lineage['parts'];
}

/** A session to be read, whose turns were looked at. @throws DamagedRecord, also while its turns are iterated over */
export function conversationOf(
  reading: SessionReading,
  nowMs: number,
  leftCount?: LeftCount,
): ConversationReader {
  const { store, id, record, turns } = reading;
  const usage = usageOf(turns);
  const row = rowOf({ store, id }, listedOf(reading, nowMs), reading.prices, leftCount);
  const spent = spentOf(reading);
  const newClock = createClocks(store);
  const { shown, undone, parts } = lineageOf(turns.map(lineageTurnOf));
  const readers = turns.map((turn, i) =>
    createTurnReader(reading, turn, {
      usage: usage[i] ?? null,
      cost: costOf(
        spent.filter((one) => one.turn === turn.turn),
        reading.prices,
      ).usd,
      inConversation: shown.includes(turn.turn),
      undone: undone.has(turn.turn),
      nowMs,
      newClock,
    }),
  );
  const current = turns.find(({ turn }) => turn === row.turn && !undone.has(turn));
  const prompts = readers.flatMap(({ view: { kind, prompt, in_conversation: isPart } }) =>
    isPart && isSaid(kind) ? (prompt ?? []) : [],
  );
  return {
    summary: {
      ...row,
      task: record.task,
      last_prompt: prompts.at(-1) ?? null,
      last_message: current?.outcome.answer ?? null,
    },
    turns: readers,
    length: shown.length,
    parts,
    changed: readChangedFiles({ store, id }, FOLD_VERSION),
  };
}

/** A session to be read. @throws ZwarmError `not_found`, `damaged`, also while its turns are iterated over */
export function openConversation(
  session: Session,
  nowMs: number,
  leftCount?: LeftCount,
): Promise<ConversationReader> {
  return orDamaged(session, async () =>
    conversationOf(await readSessionFromStreams(session, nowMs), nowMs, leftCount),
  );
}

/** A session with one of its turns alone. @throws ZwarmError `usage` where there is no such turn */
export function onlyTurn<S extends SessionReader>(session: S, turn: number | undefined): S {
  if (turn === undefined) return session;
  const turns = session.turns.filter(({ view }) => view.turn === turn);
  // What is known to be changed, was changed in all of them.
  if (turns.length > 0) return { ...session, turns, changed: null };
  throw unknownTurn(session.summary.id, turn, session.turns.at(-1)?.view.turn ?? 0);
}

/** A whole session at once. @throws ZwarmError `not_found`, `damaged` */
export function inFull(session: SessionReader, full = false): SessionDetail {
  const messages = [...messagesOf(session, full)];
  return { ...withoutMessages(session), messages };
}

/** How much of a conversation is wanted. */
export interface HistoryOptions extends HistoryBudget {
  /** Also what the agent did between its messages, as messages of role `tool`. */
  readonly full?: boolean | undefined;
}

/**
 * What the agent is to know of a conversation, oldest first, for another program: without what was rewound, and with a
 * summary for what it replaces. It begins with a message of the user.
 */
export function history(
  { turns, parts }: Pick<ConversationReader, 'turns' | 'parts'>,
  { full = false, ...budget }: HistoryOptions = {},
): History {
  const ofPart = ({ kind, turn }: Part): readonly Message[] => {
    const reader = turns.find(({ view }) => view.turn === turn);
    return [...(reader?.messages(full && kind === 'turn') ?? [])];
  };
  const answer = parts
    .filter(({ kind }) => kind === 'summary')
    .flatMap(ofPart)
    .at(-1);
  const summary = answer === undefined ? [] : summaryMessages(answer, answer.content);
  const since = parts.filter(({ kind }) => kind === 'turn').flatMap(ofPart);
  return historyWithin(summary, since, budget);
}
