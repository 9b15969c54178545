import type { AgentAdapter } from '../../agents/agent.ts';
import type { TurnOutcome } from '../../core/conversation/fold.ts';
import { sumUsage, usagePerTurn } from '../../core/conversation/usage.ts';
import { speakingTurn } from '../../core/rules/speaking-turn.ts';
import {
  cutText,
  type How,
  type SessionError,
  type SessionState,
  type TokenUsage,
} from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime, parseIso, writtenMs } from '../../core/time.ts';
import { turnFile } from '../../store/layout.ts';
import { readTail } from '../../store/read-from-end.ts';
import type { LaunchRecord, SessionRecord } from '../../store/records.ts';
import { eventsMtime } from '../../store/sessions.ts';
import type { Session } from '../context.ts';
import { explainVerdict } from '../turn/explain-failure.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { starterOf, whereOf } from '../turn/where-it-ran.ts';
import { noTurns } from './current-turn.ts';

const STDERR_TAIL = 1 << 16;

/** A session with the outcomes of its turns. */
export interface SessionReading extends Session {
  readonly record: SessionRecord;
  readonly adapter: AgentAdapter | null;
  readonly turns: readonly TurnReading[];
}

/** Why a turn failed, or null. */
export function explain({ adapter, record }: SessionReading, turn: TurnReading): SessionError | null {
  return explainVerdict(turn.verdict, {
    id: turn.id,
    adapter,
    workingDir: record.working_dir,
    terminal: turn.terminal,
    launched: turn.runner !== null,
    where: whereOf(starterOf(turn)),
    stderr: () => readTail(turnFile(turn, 'stderr'), STDERR_TAIL),
  });
}

/** Whether the agent was to continue one thread, and used another. */
export function hasLostThread({ thread_id: asked, forks }: LaunchRecord, { threadId }: TurnOutcome): boolean {
  return asked !== null && !forks && threadId !== null && threadId !== asked;
}

/** How a turn really reached its agent: with another thread than it was asked for, the agent has begun afresh. */
export function howOf({ launch, outcome }: TurnReading): How | null {
  return launch !== null && hasLostThread(launch, outcome) ? 'fresh' : (launch?.how ?? null);
}

/** The tokens of each turn. */
export function usageOf(turns: readonly TurnReading[]): (TokenUsage | null)[] {
  return usagePerTurn(
    turns.map((turn) => ({
      threadId: turn.outcome.threadId,
      report: turn.outcome.usage,
      fresh: howOf(turn) !== 'native',
      copyOf: turn.launch?.forks ? turn.launch.thread_id : null,
    })),
  );
}

/** When the runner showed itself (ms since the epoch), or null. */
export function startedMs({ runner, launch }: Pick<TurnReading, 'runner' | 'launch'>): number | null {
  return runner === null ? null : writtenMs(runner.fileMs, parseIso(launch?.at ?? null));
}

function durationOf(turn: TurnReading, nowMs: number): number | null {
  const { runner, exit, verdict } = turn;
  const began = runner?.uptime ?? null;
  const ended = exit?.record.uptime ?? null;
  if (began !== null && ended !== null) return ended < began ? null : Math.round((ended - began) * 1000);
  const start = startedMs(turn);
  const end = exit?.endedMs ?? (verdict.status === 'running' ? nowMs : null);
  if (start === null || end === null) return null;
  const ms = Math.round(end - start);
  // Less: the clock was set back in between. Its two readings may differ by a millisecond.
  return ms < -1 ? null : Math.max(0, ms);
}

function updatedMs(turn: TurnReading): number {
  const news = turn.exit?.endedMs ?? Math.max(startedMs(turn) ?? 0, eventsMtime(turn) ?? 0);
  return Math.max(parseIso(turn.request.at) ?? 0, news);
}

/** How a session stands: the state of its current turn, and the sums over all turns. */
export function stateOf(reading: SessionReading, nowMs: number): SessionState {
  const { turns, record } = reading;
  const current = speakingTurn(turns.toReversed())?.current;
  if (current === undefined) throw noTurns();
  const { verdict, exit, outcome } = current;
  // The turns of a fork up to the one at which it was forked are copies.
  const copies = record.forked_from?.turn ?? 0;
  const durations = turns.slice(copies).flatMap((turn) => durationOf(turn, nowMs) ?? []);
  const updated = [
    updatedMs(current),
    // A fork and a rewind are news of a session, too.
    parseIso(record.created_at) ?? 0,
    parseIso(turns.at(-1)?.request.at ?? null) ?? 0,
  ];
  return {
    status: verdict.status,
    turn: current.turn,
    updated_at: isoTime(Math.max(...updated)),
    ended_at: exit === null || !isFinal(verdict.status) ? null : isoTime(exit.endedMs),
    duration_ms: durations.length === 0 ? null : durations.reduce((sum, ms) => sum + ms, 0),
    pid: verdict.status === 'running' ? current.processes.runner : null,
    exit_code: verdict.exitCode,
    signal: verdict.signal,
    error: explain(reading, current),
    pending: verdict.status === 'pending' ? { reason: 'it is being launched', not_before: null } : null,
    thread_id: turns.findLast(({ outcome: { threadId } }) => threadId !== null)?.outcome.threadId ?? null,
    token_usage: sumUsage(usageOf(turns).slice(copies)),
    cost_usd: null,
    last_message: outcome.answer === null ? null : cutText(outcome.answer),
  };
}
