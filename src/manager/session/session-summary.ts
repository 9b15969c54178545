import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { needsAttention } from '../../core/rules/attention.ts';
import { cutText, type SessionSummary, titleOf } from '../../core/session.ts';
import { costOf, type Prices } from '../../core/spending.ts';
import { type Census, createCensus } from '../../process/turn-processes.ts';
import { turnFile } from '../../store/layout.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { recordOfTurn } from '../../store/records.ts';
import { hasSession, readSessionRecord } from '../../store/sessions.ts';
import type { Listed } from '../../store/summary.ts';
import type { Session } from '../context.ts';
import { readTurn, type TurnReading } from '../turn/turn-state.ts';
import { othersWriting } from '../turn/writers.ts';
import { turnsOf } from './current-turn.ts';
import { removedError } from './damage.ts';
import { type SessionReading, spentOf, stateOf, unmeasuredOf } from './session-state.ts';

/** What a list shows of a session: its record and its state. */
export function listedOf(reading: SessionReading, nowMs: number): Listed {
  const last = reading.turns.findLast(({ request }) => request.runs !== null);
  const record = last === undefined ? reading.record : recordOfTurn(reading.record, last.request);
  const { forked_from: fork, worktree: tree } = record;
  return {
    tags: record.tags,
    metadata: record.metadata,
    title: titleOf(record.task),
    task: cutText(record.task),
    agent: record.agent,
    model: record.model,
    sandbox: record.sandbox,
    unconfined: record.unconfined,
    working_dir: record.working_dir,
    work_in: record.work_in,
    worktree: tree && { path: tree.path, branch: tree.branch, base: tree.base },
    source: record.source,
    parent: record.parent,
    forked_from: fork === null ? null : { id: fork.id, turn: fork.turn },
    created_at: record.created_at,
    ...stateOf(reading, nowMs),
    // The turns of a fork up to the one at which it was forked are copies.
    spent: spentOf(reading).filter(({ turn }) => turn > (fork?.turn ?? 0)),
    unmeasured: unmeasuredOf(reading).filter(({ turn }) => turn > (fork?.turn ?? 0)),
  };
}

/** The other sessions that write where this one does now; none unless it runs and may write. */
export function sharedWith(
  session: Session,
  { status, sandbox, working_dir: directory }: Pick<SessionSummary, 'status' | 'sandbox' | 'working_dir'>,
): readonly SessionId[] {
  if (status !== 'running' || sandbox === 'read-only' || directory === null) return [];
  return othersWriting(session, directory);
}

/** One row of a list. */
export function rowOf(
  { store, id }: Session,
  { spent, unmeasured, ...listed }: Listed,
  prices: Prices,
): SessionSummary {
  const { usd, atLeast } = costOf(spent, prices);
  return {
    id,
    project: store.projectRoot,
    name: store.names.get(id) ?? null,
    ...listed,
    cost_usd: usd,
    cost_at_least: atLeast,
    shared_with: sharedWith({ store, id }, listed),
    needs_attention: needsAttention(listed, store.caller, store.seen && (store.seen.get(id) ?? 0)),
    log_file: listed.turn === null ? null : turnFile({ store, id, turn: listed.turn }, 'events'),
  };
}

/** What a list shows of a session whose records cannot be read: nothing is invented. */
const DAMAGED: Listed = {
  tags: [],
  metadata: {},
  title: null,
  task: null,
  agent: null,
  model: null,
  sandbox: null,
  unconfined: null,
  working_dir: null,
  work_in: null,
  worktree: null,
  source: null,
  parent: null,
  forked_from: null,
  created_at: null,
  status: 'damaged',
  turn: null,
  last_prompt: null,
  current_step: null,
  turn_started_at: null,
  updated_at: null,
  ended_at: null,
  duration_ms: null,
  pid: null,
  exit_code: null,
  signal: null,
  error: null,
  pending: null,
  queued: 0,
  thread_id: null,
  token_usage: null,
  spent: [],
  unmeasured: [],
  last_message: null,
  diff_stat: null,
};

function damaged(session: Session, reason: string): Listed {
  const message = `its records cannot be read: ${reason}`;
  const hint = `look at its files, or remove it: zwarm rm ${session.id}`;
  const error = { code: 'damaged', message, hint, retryable: false, retry_at: null };
  return { ...DAMAGED, error };
}

const NOTHING_WAITS = { pending: null, queued: 0 } as const;

/** A session with the outcomes of all its turns. @throws ZwarmError `not_found` when it is being removed; DamagedRecord */
export async function readTurns(
  { store, id }: Session,
  nowMs: number,
  census: Census = createCensus(),
): Promise<SessionReading> {
  const session = { store, id };
  const record = readSessionRecord(session);
  const turns: TurnReading[] = [];
  for (const turn of turnsOf(session))
    turns.push(await readTurn({ ...session, turn }, record, nowMs, census));
  const isWaiting = turns.some(({ verdict }) => verdict.status === 'pending');
  const waiting = isWaiting ? await (await import('./waiting.ts')).waitingOf(turns, nowMs) : NOTHING_WAITS;
  return { ...session, record, turns, waiting, prices: await store.prices() };
}

/** What a list shows of a session, from its own files; null when it is being removed. One `census` serves a whole list. */
export async function readListed(
  session: Session,
  nowMs: number,
  census: Census = createCensus(),
): Promise<Listed | null> {
  try {
    const listed = listedOf(await readTurns(session, nowMs, census), nowMs);
    return hasSession(session) ? listed : null;
  } catch (error) {
    if (!hasSession(session) || (error instanceof ZwarmError && error.code === 'not_found')) return null;
    if (!(error instanceof DamagedRecord)) throw error;
    return damaged(session, error.message);
  }
}

/** The same as a row. */
export async function readRow(
  session: Session,
  nowMs: number,
  census: Census = createCensus(),
): Promise<SessionSummary | null> {
  const listed = await readListed(session, nowMs, census);
  return listed === null ? null : rowOf(session, listed, await session.store.prices());
}

/** How a session stands, from its own files. @throws ZwarmError `not_found` */
export async function readSummaryNow(session: Session, nowMs: number): Promise<SessionSummary> {
  const row = await readRow(session, nowMs);
  if (row !== null) return row;
  throw removedError(session.id);
}

/** The version of what a fold makes of a session: a summary that another version wrote is computed again. */
export const FOLD_VERSION = 16;
