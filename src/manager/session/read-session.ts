import { type Lineage, lineageOf } from '../../core/conversation/lineage.ts';
import {
  messagesOf,
  type SessionReader,
  type TurnReader,
  withoutMessages,
} from '../../core/conversation/session-reader.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { SessionDetail, TokenUsage } from '../../core/session.ts';
import { isoTime } from '../../core/time.ts';
import { turnFile } from '../../store/layout.ts';
import { readCancelReason, readPrompt } from '../../store/sessions.ts';
import type { Store } from '../context.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { orDamaged, readTurns } from './current-turn.ts';
import { explain, howOf, type SessionReading, startedMs, stateOf, usageOf } from './session-state.ts';
import { recordSummaryOf, rowOf } from './session-summary.ts';
import { placesOf } from './turn-lineage.ts';
import { createTurnReader } from './turn-reader.ts';

/** How much of a conversation to show. */
export interface DetailOptions {
  /** Only this turn; the session's own fields stay those of the whole. */
  readonly turn?: number | undefined;
  /** Also what the agent did between its messages. */
  readonly full?: boolean | undefined;
}

/** A session to be read, with what the agent is to know of it. */
export interface ConversationReader extends SessionReader {
  readonly parts: Lineage['parts'];
  /** The thread of the agent in which each turn ran. */
  readonly threads: ReadonlyMap<number, string>;
}

function turnView(
  reading: SessionReading,
  store: Store,
  turn: TurnReading,
  { usage, shown }: { readonly usage: TokenUsage | null; readonly shown: boolean },
): TurnReader['view'] {
  const { verdict, request, launch, outcome, exit } = turn;
  const started = startedMs(turn);
  return {
    turn: turn.turn,
    kind: request.kind,
    by: request.by,
    to: request.to,
    covers: request.covers,
    in_conversation: shown,
    prompt: readPrompt(store.root, reading.id, turn.turn)?.toString() ?? null,
    status: verdict.status,
    started_at: started === null ? null : isoTime(started),
    ended_at: exit === null ? null : isoTime(exit.endedMs),
    exit_code: verdict.exitCode,
    signal: verdict.signal,
    error: explain(reading, store, turn),
    answer: outcome.answer,
    token_usage: usage,
    how: howOf(turn),
    replay_reason: launch?.why ?? null,
    log_file: turnFile(store.root, reading.id, turn.turn, 'events'),
    stderr_file: turnFile(store.root, reading.id, turn.turn, 'stderr'),
  };
}

async function open(store: Store, id: SessionId, nowMs: number): Promise<ConversationReader> {
  const reading = await readTurns(store, id, nowMs);
  const { record, turns } = reading;
  const usage = usageOf(turns);
  const state = stateOf(reading, store, nowMs);
  const { shown, parts } = lineageOf(placesOf(store, id, reading.adapter, turns));
  const inConversation = new Set(shown);
  const readers = turns.map((turn, i) => {
    const killed = turn.verdict.status === 'killed';
    const reason = killed ? readCancelReason(store.root, id, turn.turn) : null;
    const place = { usage: usage[i] ?? null, shown: inConversation.has(turn.turn) };
    return createTurnReader({ store, id }, turn, turnView(reading, store, turn, place), reason);
  });
  const current = turns.find(({ turn }) => turn === state.turn);
  return {
    summary: {
      ...rowOf(store, id, { ...recordSummaryOf(record), ...state }),
      task: record.task,
      last_message: current?.outcome.answer ?? null,
    },
    turns: readers,
    parts,
    threads: new Map(
      turns.flatMap(({ turn, outcome }) => (outcome.threadId === null ? [] : [[turn, outcome.threadId]])),
    ),
  };
}

/** A session to be read. @throws ZwarmError `not_found`, `damaged`; and so does whoever walks through its turns */
export function readSession(store: Store, id: SessionId, nowMs: number): Promise<ConversationReader> {
  return orDamaged(store, id, () => open(store, id, nowMs));
}

/** The same with one of its turns alone. @throws ZwarmError `usage` where there is no such turn */
export function onlyTurn<S extends SessionReader>(session: S, turn: number | undefined): S {
  if (turn === undefined) return session;
  const turns = session.turns.filter(({ view }) => view.turn === turn);
  if (turns.length > 0) return { ...session, turns };
  const last = session.turns.at(-1)?.view.turn ?? 0;
  throw new ZwarmError(
    'usage',
    `${session.summary.id} has no turn ${turn}`,
    `its turns go from 1 to ${last}`,
  );
}

/** All of a session at once. @throws ZwarmError as whoever walks through its turns */
export function inFull(session: SessionReader, full: boolean): SessionDetail {
  const messages = [...messagesOf(session, full)];
  return { ...withoutMessages(session), messages };
}
