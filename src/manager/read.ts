import type { AgentAdapter } from '../agents/agent.ts';
import { findAgent } from '../agents/registry.ts';
import { sumUsage, usagePerTurn } from '../core/conversation/usage.ts';
import { ZwarmError } from '../core/errors.ts';
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
import { isoTime, parseIso } from '../core/time.ts';
import { turnFile } from '../store/layout.ts';
import { DamagedRecord } from '../store/read-file.ts';
import {
  eventsMtime,
  hasTurn,
  listTurns,
  readPrompt,
  readRequest,
  readSessionRecord,
} from '../store/sessions.ts';
import { readSummary } from '../store/summary.ts';
import { readTail } from '../store/tail.ts';
import type { Store } from './context.ts';
import { explainVerdict } from './explain.ts';
import { readTurn, readTurnState, type TurnReading, type TurnState } from './read-turn.ts';

/** The version of what a fold makes of a session: a summary that another version wrote is computed again. */
export const FOLD_VERSION = 1;

const STDERR_TAIL = 1 << 16;

/** A session whose turns have been read. */
interface SessionReading {
  readonly id: SessionId;
  readonly record: SessionRecord;
  readonly adapter: AgentAdapter | null;
  readonly turns: readonly TurnReading[];
}

/** The turns of a session that are part of its conversation, or null when it is being removed. @throws DamagedRecord */
function conversationTurns({ root }: Store, id: SessionId): readonly number[] | null {
  const turns = listTurns(root, id);
  const last = turns.at(-1);
  if (last === undefined) throw new DamagedRecord('it has no turns');
  return readRequest(root, id, last).kind === 'tombstone' ? null : turns;
}

function ran(turn: TurnState): boolean {
  return turn.request.kind !== 'rewind' && turn.request.kind !== 'tombstone';
}

/** The turn that speaks for its session: one that runs, else the newest that ran or is about to. */
function currentTurn<T extends TurnState>(turns: readonly T[]): T {
  const current = turns.find((turn) => turn.verdict.status === 'running') ?? turns.filter(ran).at(-1);
  if (current === undefined) throw new DamagedRecord('it has no turn that runs an agent');
  return current;
}

function explain(reading: SessionReading, store: Store, turn: TurnReading): SessionError | null {
  return explainVerdict(turn.verdict, {
    id: reading.id,
    adapter: reading.adapter,
    workingDir: reading.record.working_dir,
    terminal: turn.terminal,
    host: (turn.runner?.identity ?? turn.request.claimer).host,
    stderr: () => readTail(turnFile(store.root, reading.id, turn.turn, 'stderr'), STDERR_TAIL).text,
  });
}

/** How the turn really reached its agent: one that answers with another thread has begun afresh. */
function howOf({ launch, fold }: TurnReading): How | null {
  if (launch === null) return null;
  const lost = launch.thread_id !== null && fold.threadId !== null && fold.threadId !== launch.thread_id;
  return lost ? 'fresh' : launch.how;
}

function warningsOf(turn: TurnReading): readonly string[] {
  const { launch, fold } = turn;
  const asked = launch?.thread_id ?? null;
  const lost =
    asked !== null && fold.threadId !== null && fold.threadId !== asked
      ? [
          `the agent did not continue its thread ${asked} but began ${fold.threadId}: it does not know the earlier turns`,
        ]
      : [];
  const unread =
    fold.malformed > 0
      ? [`${fold.malformed} lines of its output could not be read; they are kept in the log file`]
      : [];
  return [...lost, ...fold.warnings, ...unread];
}

function usageOf(turns: readonly TurnReading[]): (TokenUsage | null)[] {
  return usagePerTurn(
    turns.map((turn) => ({
      threadId: turn.fold.threadId,
      report: turn.fold.usage,
      fresh: howOf(turn) === 'fresh',
    })),
  );
}

function durationOf({ runner, exit, verdict }: TurnState, nowMs: number): number | null {
  if (runner === null) return null;
  const end = exit?.endedMs ?? (verdict.status === 'running' ? nowMs : null);
  return end === null ? null : Math.max(0, Math.round(end - runner.startedMs));
}

function updatedMs(store: Store, id: SessionId, turn: TurnState): number {
  const claimed = parseIso(turn.request.at) ?? 0;
  if (turn.exit !== null) return Math.max(claimed, turn.exit.endedMs);
  return Math.max(claimed, turn.runner?.startedMs ?? 0, eventsMtime(store.root, id, turn.turn) ?? 0);
}

function stateOf(reading: SessionReading, store: Store, nowMs: number): SessionState {
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
    pid: running && !verdict.orphaned ? (current.runner?.identity.pid ?? null) : null,
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

function summaryOf(store: Store, id: SessionId, record: SessionRecord, state: SessionState): SessionSummary {
  return {
    id,
    name: record.name,
    tags: record.tags,
    title: titleOf(record.task),
    task: cutText(record.task),
    status: state.status,
    turn: state.turn,
    queued: 0,
    agent: record.agent,
    model: record.model,
    sandbox: record.sandbox,
    working_dir: record.working_dir,
    source: record.source,
    parent: record.parent,
    forked_from: record.forked_from,
    created_at: record.created_at,
    updated_at: state.updated_at,
    ended_at: state.ended_at,
    duration_ms: state.duration_ms,
    pid: state.pid,
    exit_code: state.exit_code,
    signal: state.signal,
    error: state.error,
    pending: state.pending,
    thread_id: state.thread_id,
    token_usage: state.token_usage,
    cost_usd: state.cost_usd,
    last_message: state.last_message,
    needs_attention: null,
    log_file: state.turn === null ? null : turnFile(store.root, id, state.turn, 'events'),
  };
}

function damaged(id: SessionId, reason: string): SessionSummary {
  const unknown = null;
  return {
    id,
    name: unknown,
    tags: [],
    title: unknown,
    task: unknown,
    status: 'damaged',
    turn: unknown,
    queued: 0,
    agent: unknown,
    model: unknown,
    sandbox: unknown,
    working_dir: unknown,
    source: unknown,
    parent: unknown,
    forked_from: unknown,
    created_at: unknown,
    updated_at: unknown,
    ended_at: unknown,
    duration_ms: unknown,
    pid: unknown,
    exit_code: unknown,
    signal: unknown,
    error: {
      code: 'damaged',
      message: `its records cannot be read: ${reason}`,
      hint: `look at its files, or remove it: zwarm rm ${id}`,
      retryable: false,
      retry_at: null,
    },
    pending: unknown,
    thread_id: unknown,
    token_usage: unknown,
    cost_usd: unknown,
    last_message: unknown,
    needs_attention: unknown,
    log_file: unknown,
  };
}

async function readAll(store: Store, id: SessionId, nowMs: number): Promise<SessionReading | null> {
  const { record } = readSessionRecord(store.root, id);
  const numbers = conversationTurns(store, id);
  if (numbers === null) return null;
  const adapter = findAgent(record.agent);
  const turns: TurnReading[] = [];
  for (const turn of numbers) turns.push(await readTurn(store, id, turn, adapter, nowMs));
  return { id, record, adapter, turns };
}

/** The state that a settled session's `summary.json` would hold, or null while it is not final. @throws DamagedRecord */
export async function readFinalState(
  store: Store,
  id: SessionId,
  nowMs: number,
): Promise<SessionState | null> {
  const reading = await readAll(store, id, nowMs);
  if (reading === null) return null;
  const state = stateOf(reading, store, nowMs);
  return state.status !== 'damaged' && isFinal(state.status) ? state : null;
}

/** One row of a list, or null when the session is being removed. Never throws for a damaged session. */
export async function readRow(store: Store, id: SessionId, nowMs: number): Promise<SessionSummary | null> {
  try {
    const { record } = readSessionRecord(store.root, id);
    const cached = readSummary(store.root, id, FOLD_VERSION);
    if (cached?.turn != null && !hasTurn(store.root, id, cached.turn + 1)) {
      return summaryOf(store, id, record, cached);
    }
    const reading = await readAll(store, id, nowMs);
    return reading === null ? null : summaryOf(store, id, record, stateOf(reading, store, nowMs));
  } catch (error) {
    if (error instanceof DamagedRecord) return damaged(id, error.message);
    throw error;
  }
}

function turnView(
  reading: SessionReading,
  store: Store,
  turn: TurnReading,
  usage: TokenUsage | null,
): TurnView {
  const { verdict } = turn;
  return {
    turn: turn.turn,
    kind: turn.request.kind,
    prompt: readPrompt(store.root, reading.id, turn.turn)?.toString() ?? null,
    status: verdict.status,
    started_at: turn.runner === null ? null : isoTime(turn.runner.startedMs),
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

function messagesOf(view: TurnView, turn: TurnReading): Message[] {
  const asked: Message[] =
    view.prompt === null
      ? []
      : [{ role: 'user', content: view.prompt, turn: view.turn, timestamp: turn.request.at }];
  return [
    ...asked,
    ...turn.fold.messages.map(
      (content): Message => ({ role: 'assistant', content, turn: view.turn, timestamp: null }),
    ),
  ];
}

/** Everything about a session, with its steps beside it. */
export interface ReadSession {
  readonly detail: SessionDetail;
  readonly steps: readonly TurnSteps[];
}

/** Everything about a session. @throws ZwarmError `not_found`, `damaged` */
export async function readSession(store: Store, id: SessionId, nowMs: number): Promise<ReadSession> {
  const reading = await orDamaged(id, () => readAll(store, id, nowMs));
  if (reading === null) throw new ZwarmError('not_found', `${id} is being removed`, 'see: zwarm ls');
  const usage = usageOf(reading.turns);
  const views = reading.turns.map((turn, i) => turnView(reading, store, turn, usage[i] ?? null));
  const state = stateOf(reading, store, nowMs);
  const summary = summaryOf(store, id, reading.record, state);
  const current = views.find((view) => view.turn === state.turn);
  return {
    detail: {
      ...summary,
      task: reading.record.task,
      last_message: current?.answer ?? null,
      turns: views,
      messages: views.flatMap((view, i) => {
        const turn = reading.turns[i];
        return turn === undefined ? [] : messagesOf(view, turn);
      }),
    },
    steps: reading.turns.map(({ turn, fold }) => ({ turn, steps: fold.steps })),
  };
}

async function orDamaged<T>(id: SessionId, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    throw new ZwarmError(
      'damaged',
      `the records of ${id} cannot be read: ${error.message}`,
      `remove it with: zwarm rm ${id}`,
      error,
    );
  }
}

/** A session as the verbs that decide see it: what was asked for, and the turn that speaks for it. */
export interface SessionNow {
  readonly id: SessionId;
  readonly record: SessionRecord;
  readonly recordBytes: Buffer;
  readonly adapter: AgentAdapter | null;
  readonly current: TurnState;
  readonly lastTurn: number;
}

/** The present state of a session from its own files, never from a summary. @throws ZwarmError `not_found`, `damaged` */
export async function readNow(store: Store, id: SessionId, nowMs: number): Promise<SessionNow> {
  return orDamaged(id, async () => {
    const { record, bytes } = readSessionRecord(store.root, id);
    const numbers = conversationTurns(store, id);
    if (numbers === null) throw new ZwarmError('not_found', `${id} is being removed`, 'see: zwarm ls');
    const adapter = findAgent(record.agent);
    const turns: TurnState[] = [];
    // Turns run one after the other: only the newest can be anything but final.
    for (const turn of numbers.slice(-1)) turns.push(await readTurnState(store, id, turn, adapter, nowMs));
    return {
      id,
      record,
      recordBytes: bytes,
      adapter,
      current: currentTurn(turns),
      lastTurn: numbers.at(-1) ?? 0,
    };
  });
}
