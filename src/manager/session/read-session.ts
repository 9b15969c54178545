import { type Lineage, lineageOf } from '../../core/conversation/lineage.ts';
import type { SessionReader, TurnReader } from '../../core/conversation/session-reader.ts';
import type { TokenUsage } from '../../core/session.ts';
import { isoTime } from '../../core/time.ts';
import { turnFile } from '../../store/layout.ts';
import { readCancelReason, readPrompt } from '../../store/sessions.ts';
import type { Session } from '../context.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { otherHostOf } from '../turn/where-it-ran.ts';
import { beingRemovedError, orDamaged } from './damage.ts';
import { explain, howOf, type SessionReading, startedMs, usageOf } from './session-state.ts';
import { listedOf, readTurns, rowOf } from './session-summary.ts';
import { lineageTurnsOf } from './turn-lineage.ts';
import { createTurnReader } from './turn-reader.ts';

/** A session to be read, and its conversation as the agent should know it. */
export interface ConversationReader extends SessionReader {
  readonly parts: Lineage['parts'];
  /** The thread of the agent in which each turn ran. */
  readonly threads: ReadonlyMap<number, string>;
}

function turnView(
  reading: SessionReading,
  turn: TurnReading,
  usage: TokenUsage | null,
  inConversation: boolean,
): TurnReader['view'] {
  const { verdict, request, launch, outcome, exit } = turn;
  const started = startedMs(turn);
  return {
    turn: turn.turn,
    kind: request.kind,
    by: request.by,
    to: request.to,
    covers: request.covers,
    in_conversation: inConversation,
    prompt: readPrompt(turn)?.toString() ?? null,
    status: verdict.status,
    started_at: started === null ? null : isoTime(started),
    ended_at: exit === null ? null : isoTime(exit.endedMs),
    exit_code: verdict.exitCode,
    signal: verdict.signal,
    error: explain(reading, turn),
    answer: outcome.answer,
    token_usage: usage,
    how: howOf(turn),
    replay_reason: launch?.why ?? null,
    log_file: turnFile(turn, 'events'),
    stderr_file: turnFile(turn, 'stderr'),
    host: otherHostOf(turn),
  };
}

async function open(session: Session, nowMs: number): Promise<ConversationReader> {
  const reading = await readTurns(session, nowMs);
  if (reading === null) throw beingRemovedError(session.id);
  const { record, turns } = reading;
  const usage = usageOf(turns);
  const row = rowOf(session, listedOf(reading, nowMs));
  const { shown, parts } = lineageOf(lineageTurnsOf(turns, reading.adapter));
  const inConversation = new Set(shown);
  const readers = turns.map((turn, i) => {
    const reason = turn.verdict.status === 'killed' ? readCancelReason(turn) : null;
    const view = turnView(reading, turn, usage[i] ?? null, inConversation.has(turn.turn));
    return createTurnReader(turn, view, reason);
  });
  const current = turns.find(({ turn }) => turn === row.turn);
  return {
    summary: { ...row, task: record.task, last_message: current?.outcome.answer ?? null },
    turns: readers,
    parts,
    threads: new Map(
      turns.flatMap(({ turn, outcome }) => (outcome.threadId === null ? [] : [[turn, outcome.threadId]])),
    ),
  };
}

/** A session to be read. @throws ZwarmError `not_found`, `damaged`; and so does whoever walks through its turns */
export function readSession(session: Session, nowMs: number): Promise<ConversationReader> {
  return orDamaged(session, () => open(session, nowMs));
}
