import { fullMessages } from '../core/conversation/messages.ts';
import { ZwarmError } from '../core/errors.ts';
import type { LongDetail, Message } from '../core/session.ts';
import type { Conversation, ReadSession } from './conversation.ts';

/** How much of a conversation to show. */
export interface DetailOptions {
  /** Only this turn; the session's own fields stay those of the whole. */
  readonly turn?: number | undefined;
  /** Also what the agent did between its messages. */
  readonly full?: boolean | undefined;
}

/** The same without its messages. @throws ZwarmError `usage` where there is no such turn */
function headOf({ detail }: Conversation, turn: number | undefined): Conversation['detail'] {
  if (turn === undefined) return detail;
  const turns = detail.turns.filter((view) => view.turn === turn);
  if (turns.length === 0) {
    const last = detail.turns.at(-1)?.turn ?? 0;
    throw new ZwarmError('usage', `${detail.id} has no turn ${turn}`, `its turns go from 1 to ${last}`);
  }
  return { ...detail, turns };
}

/** A session's detail, of one turn alone if that is asked for. @throws ZwarmError `usage` where there is no such turn */
export function detailOf(conversation: Conversation, turn: number | undefined): LongDetail {
  const head = headOf(conversation, turn);
  return {
    ...head,
    messages: {
      *[Symbol.iterator](): Generator<Message> {
        for (const view of head.turns) yield* conversation.said.get(view.turn) ?? [];
      },
    },
  };
}

/** The same with what the agent did between its messages. @throws ZwarmError likewise */
export function fullDetailOf(session: ReadSession, turn: number | undefined): LongDetail {
  const head = headOf(session, turn);
  const told = new Set(head.turns.map((view) => view.turn));
  const steps = session.steps.filter((one) => told.has(one.turn));
  return { ...head, messages: { [Symbol.iterator]: () => fullMessages(session.said, steps) } };
}
