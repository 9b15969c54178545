import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { needsAttention } from '../../core/rules/attention.ts';
import { inConversation } from '../../core/rules/speaking-turn.ts';
import { cutText, type SessionSummary, titleOf } from '../../core/session.ts';
import { costOf, type Prices } from '../../core/spending.ts';
import { isFinal } from '../../core/status.ts';
import { type Census, createCensus } from '../../process/turn-processes.ts';
import { turnFile } from '../../store/layout.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { recordOfTurn } from '../../store/records.ts';
import { hasSession, readSessionRecord } from '../../store/sessions.ts';
import type { Listed } from '../../store/summary.ts';
import type { Session } from '../context.ts';
import { readTurnWithOutcome, type TurnReading } from '../turn/turn-state.ts';
import { othersWriting } from '../turn/writers.ts';
import { activeAt } from './active-at.ts';
import { turnsOf } from './current-turn.ts';
import { lookAtFiles, removedError } from './damage.ts';
import type { LeftCount } from './processes-left.ts';
import { type SessionReading, spentOf, stateOf, unmeasuredOf } from './session-state.ts';
import { unknownWords } from './unknown-words.ts';

/** What a list shows of a session: its record and its state. */
export function listedOf(reading: SessionReading, nowMs: number): Listed {
  const last = inConversation(reading.turns.toReversed()).find(({ request }) => request.runs !== null);
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
    unknown_words: reading.unknown,
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

/** One row of a list; without `leftCount` nobody looks for processes. */
export function rowOf(
  { store, id }: Session,
  { spent, unmeasured, ...listed }: Listed,
  prices: Prices,
  leftCount: LeftCount = () => null,
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
    processes_left: leftCount({ store, id }, listed),
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
  unknown_words: [],
  status: 'damaged',
  turn: null,
  last_prompt: null,
  current_step: null,
  turn_started_at: null,
  updated_at: null,
  active_at: null,
  ended_at: null,
  duration_ms: null,
  pid: null,
  exit_code: null,
  signal: null,
  error: null,
  pending: null,
  queued: 0,
  thread_id: null,
  model_used: null,
  token_usage: null,
  spent: [],
  unmeasured: [],
  last_message: null,
  answer_line: null,
  diff_stat: null,
};

function damaged(session: Session, reason: string, census: Census): Listed {
  const message = `its records cannot be read: ${reason}`;
  const hint = lookAtFiles(session);
  const error = { code: 'damaged', message, hint, retryable: false, retry_at: null };
  // Its place in a list is that which `@last` gives it.
  const active = activeAt(session, census);
  return { ...DAMAGED, active_at: active === 'gone' ? null : active, error };
}

const GONE = { listed: null, unseen: '' } as const;

const NOTHING_WAITS = { pending: null, queued: 0 } as const;

async function readOnce({ store, id }: Session, nowMs: number, census: Census): Promise<SessionReading> {
  const session = { store, id };
  const record = readSessionRecord(session);
  const turns: TurnReading[] = [];
  for (const turn of turnsOf(session))
    turns.push(await readTurnWithOutcome({ ...session, turn }, record, nowMs, census));
  const isWaiting = turns.some(({ verdict }) => verdict.status === 'pending');
  const waiting = isWaiting ? await (await import('./waiting.ts')).waitingOf(turns, nowMs) : NOTHING_WAITS;
  const unknown = unknownWords(record, turns);
  return { ...session, record, turns, unknown, waiting, prices: await store.prices() };
}

/**
 * The turns of a session that are said to have ended only because no process of them was seen, with the runners that were
 * recorded. They may have been launched after that look: it is certain where an earlier reading has found the same.
 */
const unseenOf = ({ turns }: SessionReading): string =>
  turns
    .filter(({ isMarker, exit, verdict }) => exit === null && !isMarker && isFinal(verdict.status))
    .map(({ turn, runner }) => `${turn} ${runner?.identity.pid} ${runner?.identity.start}`)
    .join();

/** A session with the outcomes of all its turns. @throws ZwarmError `not_found` when it is being removed; DamagedRecord */
export async function readSessionFromStreams(session: Session, nowMs: number): Promise<SessionReading> {
  for (let before = ''; ; ) {
    const reading = await readOnce(session, nowMs, createCensus());
    const unseen = unseenOf(reading);
    if (unseen === '' || unseen === before) return reading;
    before = unseen;
  }
}

async function listOnce(session: Session, nowMs: number, census: Census) {
  try {
    const reading = await readOnce(session, nowMs, census);
    const listed = listedOf(reading, nowMs);
    return hasSession(session) ? { listed, unseen: unseenOf(reading) } : GONE;
  } catch (error) {
    if (!hasSession(session) || (error instanceof ZwarmError && error.code === 'not_found')) return GONE;
    if (!(error instanceof DamagedRecord)) throw error;
    return { listed: damaged(session, error.message, census), unseen: '' };
  }
}

/**
 * What a list shows of these sessions, from their own files; null where one is being removed. They share one look at the
 * processes; those of which it leaves doubts come last and share another one, which begins when all have been read.
 */
export async function* computeListedTogether(
  sessions: Iterable<Session>,
  nowMs: number,
): AsyncGenerator<readonly [session: Session, listed: Listed | null]> {
  const before = new Map<SessionId, string>();
  for (let todo = sessions, again: Session[] = []; ; todo = again, again = []) {
    const census = createCensus();
    for (const session of todo) {
      const { listed, unseen } = await listOnce(session, nowMs, census);
      if (unseen === '' || unseen === before.get(session.id)) yield [session, listed];
      else again.push(session);
      before.set(session.id, unseen);
    }
    if (again.length === 0) return;
  }
}

/** What a list shows of a session, from its own files; null when it is being removed. */
export async function computeListed(session: Session, nowMs: number): Promise<Listed | null> {
  for await (const [, listed] of computeListedTogether([session], nowMs)) return listed;
  return null;
}

/** The same as a row. */
export async function computeRow(session: Session, nowMs: number): Promise<SessionSummary | null> {
  const listed = await computeListed(session, nowMs);
  return listed === null ? null : rowOf(session, listed, await session.store.prices());
}

/** How a session stands, from its own files. @throws ZwarmError `not_found` */
export async function computeSummary(session: Session, nowMs: number): Promise<SessionSummary> {
  const row = await computeRow(session, nowMs);
  if (row !== null) return row;
  throw removedError(session.id);
}

/**
 * The version of what a fold makes of a session, and of which words of records it knows: a summary that another version wrote
 * is computed again.
 */
export const FOLD_VERSION = 19;
