import type { AgentAdapter } from '../agents/agent.ts';
import { findAgent } from '../agents/registry.ts';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { SessionRecord, SessionState, SessionSummary } from '../core/session.ts';
import { isFinal } from '../core/status.ts';
import { DamagedRecord } from '../store/read-file.ts';
import { hasSession, hasTurn, listTurns, readRequest, readSessionRecord } from '../store/sessions.ts';
import { readSummary } from '../store/summary.ts';
import type { Store } from './context.ts';
import { damagedSummary } from './damaged-summary.ts';
import { readTurn, readTurnState, type TurnReading, type TurnState } from './read-turn.ts';
import { type ReadSession, type SessionReading, sessionView, stateOf, summaryOf } from './view.ts';

/** The version of what a fold makes of a session: a summary that another version wrote is computed again. */
export const FOLD_VERSION = 1;

/** The turns of a session that are part of its conversation, or null when it is being removed. @throws DamagedRecord */
function conversationTurns({ root }: Store, id: SessionId): readonly number[] | null {
  const turns = listTurns(root, id);
  const last = turns.at(-1);
  if (last === undefined) throw new DamagedRecord('it has no turns');
  return readRequest(root, id, last).kind === 'tombstone' ? null : turns;
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

/**
 * One row of a list, or null when the session is being removed. Never throws for a damaged session. `cached` allows
 * the summary, which an agent may have written: not for a verb that decides.
 */
export async function readRow(
  store: Store,
  id: SessionId,
  nowMs: number,
  { cached: allowed }: { readonly cached: boolean },
): Promise<SessionSummary | null> {
  try {
    const { record } = readSessionRecord(store.root, id);
    const cached = allowed ? readSummary(store.root, id, FOLD_VERSION) : null;
    if (cached?.turn != null && !hasTurn(store.root, id, cached.turn + 1)) {
      return summaryOf(store, id, record, cached);
    }
    const reading = await readAll(store, id, nowMs);
    return reading === null ? null : summaryOf(store, id, record, stateOf(reading, store, nowMs));
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    // It was removed while we read it.
    return hasSession(store.root, id) ? damagedSummary(id, error.message) : null;
  }
}

/** Everything about a session. @throws ZwarmError `not_found`, `damaged` */
export async function readSession(store: Store, id: SessionId, nowMs: number): Promise<ReadSession> {
  const reading = await orDamaged(store, id, () => readAll(store, id, nowMs));
  if (reading === null) throw new ZwarmError('not_found', `${id} is being removed`, 'see: zwarm ls');
  return sessionView(store, reading, nowMs);
}

/** What `read` reads of a session, its DamagedRecord told as an error of ours. @throws ZwarmError `not_found`, `damaged` */
export async function orDamaged<T>({ root }: Store, id: SessionId, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    if (!hasSession(root, id)) throw new ZwarmError('not_found', `${id} was removed`, 'see: zwarm ls');
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
  /** The numbers of its turns, ascending; never empty. */
  readonly turns: readonly number[];
}

/** The present state of a session from its own files, never from a summary. @throws ZwarmError `not_found`, `damaged` */
export async function readNow(store: Store, id: SessionId, nowMs: number): Promise<SessionNow> {
  return orDamaged(store, id, async () => {
    const { record, bytes } = readSessionRecord(store.root, id);
    const numbers = conversationTurns(store, id);
    if (numbers === null) throw new ZwarmError('not_found', `${id} is being removed`, 'see: zwarm ls');
    const adapter = findAgent(record.agent);
    const last = numbers.at(-1) ?? 1;
    // Turns run one after the other: only the newest can be anything but final.
    const current = await readTurnState(store, id, last, adapter, nowMs);
    return { id, record, recordBytes: bytes, adapter, current, turns: numbers };
  });
}
