import { findAgent } from '../../agents/registry.ts';
import { ZwarmError } from '../../core/errors.ts';
import { needsAttention } from '../../core/rules/attention.ts';
import { cutText, type SessionSummary, titleOf } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { type Census, createCensus } from '../../process/turn-processes.ts';
import { turnFile } from '../../store/layout.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { hasSession, readSessionRecord } from '../../store/sessions.ts';
import { type Listed, writeSummary } from '../../store/summary.ts';
import type { ManagerContext, Session } from '../context.ts';
import { readTurn, type TurnReading } from '../turn/turn-state.ts';
import { turnsOf } from './current-turn.ts';
import { removedError } from './damage.ts';
import { type SessionReading, stateOf } from './session-state.ts';

/** What a list shows of a session: its record and its state. */
export function listedOf(reading: SessionReading, nowMs: number): Listed {
  const { record } = reading;
  const { forked_from: fork } = record;
  return {
    tags: record.tags,
    title: titleOf(record.task),
    task: cutText(record.task),
    agent: record.agent,
    model: record.model,
    sandbox: record.sandbox,
    working_dir: record.working_dir,
    work_in: record.work_in,
    source: record.source,
    parent: record.parent,
    forked_from: fork === null ? null : { id: fork.id, turn: fork.turn },
    created_at: record.created_at,
    ...stateOf(reading, nowMs),
  };
}

/** One row of a list. */
export function rowOf({ store, id }: Session, listed: Listed): SessionSummary {
  return {
    id,
    project: store.projectRoot,
    name: store.names.get(id) ?? null,
    ...listed,
    queued: 0,
    needs_attention: needsAttention(listed, store.seen && (store.seen.get(id) ?? 0)),
    log_file: listed.turn === null ? null : turnFile({ store, id, turn: listed.turn }, 'events'),
  };
}

/** What a list shows of a session whose records cannot be read: nothing is invented. */
const DAMAGED: Listed = {
  tags: [],
  title: null,
  task: null,
  agent: null,
  model: null,
  sandbox: null,
  working_dir: null,
  work_in: null,
  source: null,
  parent: null,
  forked_from: null,
  created_at: null,
  status: 'damaged',
  turn: null,
  updated_at: null,
  ended_at: null,
  duration_ms: null,
  pid: null,
  exit_code: null,
  signal: null,
  error: null,
  pending: null,
  thread_id: null,
  token_usage: null,
  cost_usd: null,
  last_message: null,
};

function damagedRow(session: Session, reason: string): SessionSummary {
  const message = `its records cannot be read: ${reason}`;
  const hint = `look at its files, or remove it: zwarm rm ${session.id}`;
  const error = { code: 'damaged', message, hint, retryable: false, retry_at: null };
  return rowOf(session, { ...DAMAGED, error });
}

/** A session with the outcomes of all its turns. @throws ZwarmError `not_found` when it is being removed; DamagedRecord */
export async function readTurns(
  { store, id }: Session,
  nowMs: number,
  census: Census = createCensus(),
): Promise<SessionReading> {
  const session = { store, id };
  const record = readSessionRecord(session);
  const adapter = findAgent(record.agent);
  const turns: TurnReading[] = [];
  for (const turn of turnsOf(session))
    turns.push(await readTurn({ ...session, turn }, adapter, nowMs, census));
  return { ...session, record, adapter, turns };
}

/** One row of a list from the session's own files; null when it is being removed. One `census` serves a whole list. */
export async function readRow(
  session: Session,
  nowMs: number,
  census: Census = createCensus(),
): Promise<SessionSummary | null> {
  try {
    const row = rowOf(session, listedOf(await readTurns(session, nowMs, census), nowMs));
    return hasSession(session) ? row : null;
  } catch (error) {
    if (!hasSession(session) || (error instanceof ZwarmError && error.code === 'not_found')) return null;
    if (!(error instanceof DamagedRecord)) throw error;
    return damagedRow(session, error.message);
  }
}

/** How a session stands, from its own files. @throws ZwarmError `not_found` */
export async function readSummaryNow(session: Session, nowMs: number): Promise<SessionSummary> {
  const row = await readRow(session, nowMs);
  if (row !== null) return row;
  throw removedError(session.id);
}

/** The version of what a fold makes of a session: a summary that another version wrote is computed again. */
export const FOLD_VERSION = 6;

/**
 * Caches for lists how a session stands, if it is final, and that `turn` (if any) speaks for it. Never throws: without a
 * summary readers compute.
 */
export async function cacheState(
  context: ManagerContext,
  session: Session,
  turn: number | null = null,
): Promise<void> {
  try {
    const nowMs = context.now();
    const reading = await readTurns(session, nowMs);
    const listed = listedOf(reading, nowMs);
    if (listed.status === 'damaged' || !isFinal(listed.status)) return;
    if (turn !== null && listed.turn !== turn) return;
    const newest = reading.turns.at(-1)?.turn ?? 0;
    writeSummary(session, FOLD_VERSION, { newest, listed }, context.newNonce());
  } catch {
    return;
  }
}
