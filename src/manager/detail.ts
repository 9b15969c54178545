import { fullMessages } from '../core/conversation/messages.ts';
import { ZwarmError } from '../core/errors.ts';
import type { SessionDetail } from '../core/session.ts';
import type { ReadSession } from './view.ts';

/** How much of a conversation to show. */
export interface DetailOptions {
  /** Only this turn; the session's own fields stay those of the whole. */
  readonly turn?: number | undefined;
  /** Also what the agent did between its messages. */
  readonly full?: boolean | undefined;
}

/** A session's detail, narrowed to a turn or widened by the agent's steps. @throws ZwarmError `usage` */
export function detailOf({ detail, steps }: ReadSession, options: DetailOptions = {}): SessionDetail {
  const { turn, full } = options;
  const told = new Set(detail.turns.flatMap((view) => (view.in_conversation ? [view.turn] : [])));
  const messages = full
    ? fullMessages(
        detail.messages,
        steps.filter((one) => told.has(one.turn)),
      )
    : detail.messages;
  if (turn === undefined) return { ...detail, messages };
  const turns = detail.turns.filter((view) => view.turn === turn);
  if (turns.length === 0) {
    const last = detail.turns.at(-1)?.turn ?? 0;
    throw new ZwarmError('usage', `${detail.id} has no turn ${turn}`, `its turns go from 1 to ${last}`);
  }
  return { ...detail, turns, messages: messages.filter((message) => message.turn === turn) };
}
