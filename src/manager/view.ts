import type { AgentAdapter } from '../agents/agent.ts';
import type { TurnFold } from '../core/conversation/fold.ts';
import type { TurnOutcome } from '../core/conversation/outcome.ts';
import { sumUsage, usagePerTurn } from '../core/conversation/usage.ts';
import type { SessionId } from '../core/ids.ts';
import {
  cutText,
  type How,
  type Message,
  type SessionDetail,
  type SessionError,
  type SessionRecord,
  type SessionState,
  type SessionSummary,
  type TokenUsage,
  type TurnSteps,
  type TurnView,
  titleOf,
} from '../core/session.ts';
import { isFinal } from '../core/status.ts';
import { isoTime, parseIso, writtenMs } from '../core/time.ts';
import { turnFile } from '../store/layout.ts';
import { DamagedRecord } from '../store/read-file.ts';
import { eventsMtime, readPrompt } from '../store/sessions.ts';
import { readTail } from '../store/tail.ts';
import type { Store } from './context.ts';
import { explainVerdict } from './explain.ts';
import type { TurnReading } from './read-turn.ts';

/*
 * From what was read of a session to what every face of zwarm shows of it.
 */

const STDERR_TAIL = 1 << 16;

/** A session whose turns have been read: with every word, or for their outcome alone. */
export interface SessionReading<F extends TurnOutcome = TurnFold> {
  readonly id: SessionId;
  readonly record: SessionRecord;
  readonly adapter: AgentAdapter | null;
  readonly turns: readonly TurnReading<F>[];
}

/** The turn that speaks for its session: the newest, since turns run one after the other. */
function currentTurn<T>(turns: readonly T[]): T {
  const current = turns.at(-1);
  if (current === undefined) throw new DamagedRecord('it has no turns');
  return current;
}

function explain(
  reading: SessionReading<TurnOutcome>,
  store: Store,
  turn: TurnReading<TurnOutcome>,
): SessionError | null {
  return explainVerdict(turn.verdict, {
    id: reading.id,
    adapter: reading.adapter,
    workingDir: reading.record.working_dir,
    terminal: turn.terminal,
    // A later turn was begun with the conversation of an earlier one.
    resumable: turn.turn > 1 || turn.fold.threadId !== null,
    host: (turn.runner?.identity ?? turn.request.claimer).host,
    stderr: () => readTail(turnFile(store.root, reading.id, turn.turn, 'stderr'), STDERR_TAIL).text,
  });
}

/** How the turn really reached its agent: one that answers with another thread has begun afresh. */
function howOf({ launch, fold }: TurnReading<TurnOutcome>): How | null {
  if (launch === null) return null;
  const lost = launch.thread_id !== null && fold.threadId !== null && fold.threadId !== launch.thread_id;
  return lost ? 'fresh' : launch.how;
}

function warningsOf(turn: TurnReading): readonly string[] {
  const { launch, fold, exit } = turn;
  const asked = launch?.thread_id ?? null;
  const lost =
    asked !== null && fold.threadId !== null && fold.threadId !== asked
      ? [
          `the agent did not continue its thread ${asked} but began ${fold.threadId}: it does not know the earlier turns`,
        ]
      : [];
  const unread =
    fold.malformed === 0
      ? []
      : fold.malformed === 1
        ? ['1 line of its output could not be read; it is kept in the log file']
        : [`${fold.malformed} lines of its output could not be read; they are kept in the log file`];
  const cut = exit?.fact.why === null && exit.fact.detail !== null ? [exit.fact.detail] : [];
  return [...lost, ...fold.warnings, ...unread, ...cut];
}

function usageOf(turns: readonly TurnReading<TurnOutcome>[]): (TokenUsage | null)[] {
  return usagePerTurn(
    turns.map((turn) => ({
      threadId: turn.fold.threadId,
      report: turn.fold.usage,
      fresh: howOf(turn) === 'fresh',
    })),
  );
}

/** When the runner showed itself (ms since the epoch), or null. */
function startedMs({ runner, launch }: TurnReading<TurnOutcome>): number | null {
  return runner === null ? null : writtenMs(runner.fileMs, parseIso(launch?.at ?? null));
}

function durationOf(turn: TurnReading<TurnOutcome>, nowMs: number): number | null {
  const { runner, exit, verdict } = turn;
  const began = runner?.uptime ?? null;
  const ended = exit?.uptime ?? null;
  if (began !== null && ended !== null) return ended < began ? null : Math.round((ended - began) * 1000);
  const start = startedMs(turn);
  const end = exit?.endedMs ?? (verdict.status === 'running' ? nowMs : null);
  if (start === null || end === null) return null;
  const ms = Math.round(end - start);
  // The clock was set back meanwhile (one millisecond is the difference of its two readings): nobody knows how long.
  return ms < -1 ? null : Math.max(0, ms);
}

function updatedMs(store: Store, id: SessionId, turn: TurnReading<TurnOutcome>): number {
  const claimed = parseIso(turn.request.at) ?? 0;
  if (turn.exit !== null) return Math.max(claimed, turn.exit.endedMs);
  return Math.max(claimed, startedMs(turn) ?? 0, eventsMtime(store.root, id, turn.turn) ?? 0);
}

/** How a session stands: what its turns come to, and what the newest of them says. */
export function stateOf(reading: SessionReading<TurnOutcome>, store: Store, nowMs: number): SessionState {
  const { turns } = reading;
  const current = currentTurn(turns);
  const { verdict, exit, fold } = current;
  const durations = turns.flatMap((turn) => durationOf(turn, nowMs) ?? []);
  const running = verdict.status === 'running';
  return {
    status: verdict.status,
    turn: current.turn,
    updated_at: isoTime(updatedMs(store, reading.id, current)),
    ended_at: exit === null || !isFinal(verdict.status) ? null : isoTime(exit.endedMs),
    duration_ms: durations.length === 0 ? null : durations.reduce((sum, ms) => sum + ms, 0),
    pid: running ? current.processes.runner : null,
    exit_code: verdict.exitCode,
    signal: verdict.signal,
    error: explain(reading, store, current),
    pending: verdict.status === 'pending' ? { reason: 'it is being launched', not_before: null } : null,
    thread_id: turns.findLast((turn) => turn.fold.threadId !== null)?.fold.threadId ?? null,
    token_usage: sumUsage(usageOf(turns)),
    cost_usd: null,
    last_message: fold.answer === null ? null : cutText(fold.answer),
  };
}

/** One row of a list: what was asked for, and how it stands. */
export function summaryOf(
  store: Store,
  id: SessionId,
  record: SessionRecord,
  state: SessionState,
): SessionSummary {
  return {
    id,
    name: record.name,
    tags: record.tags,
    title: titleOf(record.task),
    task: cutText(record.task),
    queued: 0,
    agent: record.agent,
    model: record.model,
    sandbox: record.sandbox,
    working_dir: record.working_dir,
    source: record.source,
    parent: record.parent,
    forked_from: record.forked_from,
    created_at: record.created_at,
    ...state,
    needs_attention: null,
    log_file: state.turn === null ? null : turnFile(store.root, id, state.turn, 'events'),
  };
}

function turnView(
  reading: SessionReading,
  store: Store,
  turn: TurnReading,
  usage: TokenUsage | null,
): TurnView {
  const { verdict } = turn;
  const started = startedMs(turn);
  return {
    turn: turn.turn,
    kind: turn.request.kind,
    prompt: readPrompt(store.root, reading.id, turn.turn)?.toString() ?? null,
    status: verdict.status,
    started_at: started === null ? null : isoTime(started),
    ended_at: turn.exit === null ? null : isoTime(turn.exit.endedMs),
    exit_code: verdict.exitCode,
    signal: verdict.signal,
    error: explain(reading, store, turn),
    answer: turn.fold.answer,
    token_usage: usage,
    how: howOf(turn),
    warnings: warningsOf(turn),
    log_file: turnFile(store.root, reading.id, turn.turn, 'events'),
    stderr_file: turnFile(store.root, reading.id, turn.turn, 'stderr'),
  };
}

function messagesOf(prompt: string | null, { turn, request, fold }: TurnReading): Message[] {
  const asked: Message[] =
    prompt === null ? [] : [{ role: 'user', content: prompt, turn, timestamp: request.at }];
  return [
    ...asked,
    ...fold.messages.map((content): Message => ({ role: 'assistant', content, turn, timestamp: null })),
  ];
}

/** Everything about a session, with the steps of its turns beside it. */
export interface ReadSession {
  readonly detail: SessionDetail;
  readonly steps: readonly TurnSteps[];
}

/** All that is shown of one session. */
export function sessionView(store: Store, reading: SessionReading, nowMs: number): ReadSession {
  const { id, record, turns } = reading;
  const usage = usageOf(turns);
  const state = stateOf(reading, store, nowMs);
  const views = turns.map((turn, i) => turnView(reading, store, turn, usage[i] ?? null));
  const current = turns.find(({ turn }) => turn === state.turn);
  return {
    detail: {
      ...summaryOf(store, id, record, state),
      task: record.task,
      last_message: current?.fold.answer ?? null,
      turns: views,
      messages: turns.flatMap((turn, i) => messagesOf(views[i]?.prompt ?? null, turn)),
    },
    steps: turns.map(({ turn, fold }) => ({ turn, steps: fold.steps })),
  };
}
