import { messagesOf, type SessionReader, withoutMessages } from '../../core/conversation/session-reader.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionDetail } from '../../core/session.ts';

/** How much of a conversation to show. */
export interface DetailOptions {
  /** Only this turn; the session's own fields stay those of the whole. */
  readonly turn?: number | undefined;
  /** Also what the agent did between its messages. */
  readonly full?: boolean | undefined;
}

/** A session with one of its turns alone. @throws ZwarmError `usage` where there is no such turn */
export function onlyTurn<S extends SessionReader>(session: S, turn: number | undefined): S {
  if (turn === undefined) return session;
  const turns = session.turns.filter(({ view }) => view.turn === turn);
  if (turns.length > 0) return { ...session, turns };
  const last = session.turns.at(-1)?.view.turn ?? 0;
  throw unknownTurn(session.summary.id, turn, last);
}

/** A whole session at once. @throws ZwarmError as whoever walks through its turns */
export function inFull(session: SessionReader, full: boolean): SessionDetail {
  const messages = [...messagesOf(session, full)];
  return { ...withoutMessages(session), messages };
}

/** The error of a turn that a session does not have. */
export function unknownTurn(id: string, turn: number, last: number): ZwarmError {
  return new ZwarmError('usage', `${id} has no turn ${turn}`, `its turns go from 1 to ${last}`);
}
