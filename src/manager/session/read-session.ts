import { type Lineage, lineageOf } from '../../core/conversation/lineage.ts';
import { messagesOf, type SessionReader, withoutMessages } from '../../core/conversation/session-reader.ts';
import type { SessionDetail } from '../../core/session.ts';
import type { Session } from '../context.ts';
import { orDamaged, removedError, unknownTurn } from './damage.ts';
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

/** A session to be read. @throws ZwarmError `not_found`, `damaged`; and so does whoever walks through its turns */
export function readSession(session: Session, nowMs: number): Promise<ConversationReader> {
  return orDamaged(session, async () => {
    const reading = await readTurns(session, nowMs);
    if (reading === null) throw removedError(session.id);
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

/** A whole session at once. @throws ZwarmError as whoever walks through its turns */
export function inFull(session: SessionReader, full = false): SessionDetail {
  const messages = [...messagesOf(session, full)];
  return { ...withoutMessages(session), messages };
}
