import { fullMessages } from '../core/conversation/messages.ts';
import { ZwarmError } from '../core/errors.ts';
import type { SessionDetail } from '../core/session.ts';
import type { Conversation, ReadSession } from './view.ts';

/** How much of a conversation to show. */
export interface DetailOptions {
  /** Only this turn; the session's own fields stay those of the whole. */
  readonly turn?: number | undefined;
  /** Also what the agent did between its messages. */
  readonly full?: boolean | undefined;
}

/** A session's detail, of one turn alone if that is asked for. @throws ZwarmError `usage` where there is no such turn */
export function detailOf({ detail }: Conversation, turn: number | undefined): SessionDetail {
  if (turn === undefined) return detail;
  const turns = detail.turns.filter((view) => view.turn === turn);
  if (turns.length === 0) {
    const last = detail.turns.at(-1)?.turn ?? 0;
    throw new ZwarmError('usage', `${detail.id} has no turn ${turn}`, `its turns go from 1 to ${last}`);
  }
  return { ...detail, turns, messages: detail.messages.filter((message) => message.turn === turn) };
}

/** The same with what the agent did between its messages. @throws ZwarmError likewise */
export function fullDetailOf(session: ReadSession, turn: number | undefined): SessionDetail {
  const detail = detailOf(session, turn);
  const told = new Set(detail.turns.flatMap((view) => (view.in_conversation ? [view.turn] : [])));
  const steps = session.steps.filter((one) => told.has(one.turn));
  return { ...detail, messages: fullMessages(detail.messages, steps) };
}
