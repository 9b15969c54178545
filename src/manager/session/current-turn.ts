import type { AgentAdapter } from '../../agents/agent.ts';
import { findAgent } from '../../agents/registry.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { endsSearch, speakingTurn } from '../../core/rules/speaking-turn.ts';
import type { SessionRecord, SessionSummary } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { type Census, createCensus } from '../../process/bearers.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { hasSession, isTombstone, listTurns, readSessionRecord } from '../../store/sessions.ts';
import type { Summary } from '../../store/summary.ts';
import type { Store } from '../context.ts';
import { readTurn, readTurnState, type TurnReading, type TurnState } from '../turn/turn-state.ts';
import { damagedSummary } from './damaged-summary.ts';
import { type SessionReading, stateOf } from './session-state.ts';
import { recordSummaryOf, rowOf } from './session-summary.ts';

/** The version of what a fold makes of a session: a summary that another version wrote is computed again. */
export const FOLD_VERSION = 6;

function noTurns(): never {
  throw new DamagedRecord('it has no turns');
}

/** The turns of a session that are part of its conversation, or null when it is being removed. @throws DamagedRecord */
export function conversationTurns({ root }: Store, id: SessionId): readonly number[] | null {
  const turns = listTurns(root, id);
  const last = turns.at(-1);
  if (last === undefined) noTurns();
  return isTombstone(root, id, last) ? null : turns;
}

async function readAll(
  store: Store,
  id: SessionId,
  nowMs: number,
  census = createCensus(),
): Promise<SessionReading | null> {
  const { record } = readSessionRecord(store, id);
  const numbers = conversationTurns(store, id);
  if (numbers === null) return null;
  const adapter = findAgent(record.agent);
  const turns: TurnReading[] = [];
  for (const turn of numbers) {
    turns.push(await readTurn(store, id, turn, adapter, nowMs, census));
  }
  return { id, record, adapter, turns };
}

/** What a settled session's `summary.json` would hold, or null while it is not final. @throws DamagedRecord */
export async function readFinalSummary(store: Store, id: SessionId, nowMs: number): Promise<Summary | null> {
  const reading = await readAll(store, id, nowMs);
  if (reading === null) return null;
  const state = stateOf(reading, store, nowMs);
  if (state.status === 'damaged' || !isFinal(state.status)) return null;
  return {
    newest: reading.turns.at(-1)?.turn ?? 0,
    listed: { ...recordSummaryOf(reading.record), ...state },
  };
}

/**
 * Whether a session disappeared while it was read: by one rename, so that any part of it may have been missing, and what
 * was read of the rest says nothing.
 */
function wasRemoved({ root }: Store, id: SessionId): boolean {
  return !hasSession(root, id);
}

/**
 * One row of a list from the session's own files, never from a summary, or null when the session is being removed. Never
 * throws for a damaged session. One `census` serves a whole list.
 */
export async function readRow(
  store: Store,
  id: SessionId,
  nowMs: number,
  census: Census,
): Promise<SessionSummary | null> {
  try {
    const reading = await readAll(store, id, nowMs, census);
    if (reading === null) return null;
    const row = rowOf(store, id, { ...recordSummaryOf(reading.record), ...stateOf(reading, store, nowMs) });
    return wasRemoved(store, id) ? null : row;
  } catch (error) {
    if (wasRemoved(store, id)) return null;
    if (!(error instanceof DamagedRecord)) throw error;
    return damagedSummary(store, id, error.message);
  }
}

/** How a session stands, from its own files. @throws ZwarmError `not_found` */
export async function readSummaryNow(store: Store, id: SessionId, nowMs: number): Promise<SessionSummary> {
  const row = await readRow(store, id, nowMs, createCensus());
  if (row !== null) return row;
  throw new ZwarmError('not_found', `${id} was removed`, 'see: zwarm ls');
}

/** The turns of a session with their outcomes. @throws ZwarmError `not_found`; DamagedRecord */
export async function readTurns(store: Store, id: SessionId, nowMs: number): Promise<SessionReading> {
  const reading = await readAll(store, id, nowMs);
  if (reading === null) throw new ZwarmError('not_found', `${id} is being removed`, 'see: zwarm ls');
  return reading;
}

function removedError(id: SessionId, cause?: unknown): ZwarmError {
  return new ZwarmError('not_found', `${id} was removed`, 'see: zwarm ls', cause);
}

/** An error of reading a session as one of ours, where it tells of damage or of a removal; any other as it is. */
export function damageError(store: Store, id: SessionId, error: unknown): unknown {
  if (wasRemoved(store, id)) return removedError(id, error);
  if (!(error instanceof DamagedRecord)) return error;
  return new ZwarmError(
    'damaged',
    `the records of ${id} cannot be read: ${error.message}`,
    `remove it with: zwarm rm ${id}`,
    error,
  );
}

/**
 * What `read` reads of a session that is still there afterwards, its DamagedRecord told as an error of ours.
 * @throws ZwarmError `not_found`, `damaged`
 */
export async function orDamaged<T>(store: Store, id: SessionId, read: () => Promise<T>): Promise<T> {
  const found = await read().catch((error: unknown) => {
    throw damageError(store, id, error);
  });
  if (wasRemoved(store, id)) throw removedError(id);
  return found;
}

/** The same for what is read while somebody walks through it. @throws ZwarmError likewise */
export function* walkOrDamaged<T>(store: Store, id: SessionId, items: Iterable<T>): Generator<T> {
  try {
    yield* items;
  } catch (error) {
    throw damageError(store, id, error);
  }
  if (wasRemoved(store, id)) throw removedError(id);
}

/** What was asked for. @throws ZwarmError `not_found`, `damaged` */
export async function readRecord(store: Store, id: SessionId): Promise<SessionRecord> {
  return orDamaged(store, id, async () => readSessionRecord(store, id).record);
}

/** A session as the verbs that decide see it: what was asked for, and the turn that speaks for it. */
export interface SessionNow {
  readonly id: SessionId;
  readonly record: SessionRecord;
  readonly adapter: AgentAdapter | null;
  readonly current: TurnState;
  /** Turns that were claimed behind a running one and are not launched yet, oldest first. */
  readonly behind: readonly TurnState[];
  /** The numbers of its turns, ascending; never empty. */
  readonly turns: readonly number[];
}

/** The turn that speaks for a session; no more turns are read than can. @throws DamagedRecord */
async function readSpeaking(
  turns: readonly number[],
  read: (turn: number) => Promise<TurnState>,
): Promise<Pick<SessionNow, 'current' | 'behind'>> {
  const newestFirst: TurnState[] = [];
  for (const turn of turns.toReversed()) {
    const state = await read(turn);
    newestFirst.push(state);
    if (endsSearch(state)) break;
  }
  return speakingTurn(newestFirst) ?? noTurns();
}

/** The present state of one turn of a session. @throws ZwarmError `not_found`, `damaged` */
export async function readTurnNow(
  store: Store,
  id: SessionId,
  turn: number,
  nowMs: number,
): Promise<TurnState> {
  return orDamaged(store, id, async () => {
    const { record } = readSessionRecord(store, id);
    return readTurnState(store, id, turn, findAgent(record.agent), nowMs);
  });
}

/** The present state of a session from its own files, never from a summary. @throws ZwarmError `not_found`, `damaged` */
export async function readNow(store: Store, id: SessionId, nowMs: number): Promise<SessionNow> {
  return orDamaged(store, id, async () => {
    const { record } = readSessionRecord(store, id);
    const turns = conversationTurns(store, id);
    if (turns === null) throw new ZwarmError('not_found', `${id} is being removed`, 'see: zwarm ls');
    const adapter = findAgent(record.agent);
    const read = (turn: number) => readTurnState(store, id, turn, adapter, nowMs);
    return { id, record, adapter, turns, ...(await readSpeaking(turns, read)) };
  });
}
