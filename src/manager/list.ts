import { realpathSync } from 'node:fs';
import { newestFirst, type SessionId } from '../core/ids.ts';
import { matchesSource, parseSources, requireOneAgent } from '../core/rules/source.ts';
import type { SessionStatus, SessionSummary } from '../core/session.ts';
import { isFinal } from '../core/status.ts';
import { parseIso } from '../core/time.ts';
import { anyBears, anyMemberLives, type Census, createCensus } from '../process/bearers.ts';
import { listSessionIds, readCancel } from '../store/sessions.ts';
import { type ManagerContext, openForReading, type Store } from './context.ts';
import { readRow } from './read.ts';
import { marksOf } from './read-turn.ts';
import { isEndPlanted } from './real-end.ts';

/** Which sessions to list; the default is all that run or are about to, and the newest 20. */
export interface ListOptions {
  readonly all?: boolean | undefined;
  /** The newest `limit` sessions instead of the newest 20, whatever their status. */
  readonly limit?: number | undefined;
  readonly statuses?: readonly SessionStatus[] | undefined;
  /** Only sessions that work in the caller's directory. */
  readonly here?: boolean | undefined;
  /** Only sessions that changed at or after this time (ms since the epoch). */
  readonly sinceMs?: number | undefined;
  /** Only sessions with this text in their task, name or last message; case does not count. */
  readonly grep?: string | undefined;
  /** Only sessions that have ended, and of which this caller has not seen it. */
  readonly attention?: boolean | undefined;
  /** Only sessions that these started: `you`, `orch`, `orch:ab12`, `mcp`, `mcp:codex`, separated by commas. */
  readonly source?: string | undefined;
  readonly sort?: 'created' | 'updated' | undefined;
}

const DEFAULT_LIMIT = 20;

function isLive({ status }: SessionSummary): boolean {
  return status === 'running' || status === 'pending';
}

function matches(row: SessionSummary, options: ListOptions, here: string | null): boolean {
  const { statuses, sinceMs, grep } = options;
  if (statuses && !statuses.includes(row.status)) return false;
  if (options.attention && row.needs_attention !== true) return false;
  if (here !== null && row.working_dir !== here) return false;
  if (sinceMs !== undefined && (parseIso(row.updated_at) ?? 0) < sinceMs) return false;
  if (grep === undefined) return true;
  const wanted = grep.toLowerCase();
  return [row.task, row.name, row.last_message].some((text) => text?.toLowerCase().includes(wanted));
}

function order(sort: ListOptions['sort']): (a: SessionSummary, b: SessionSummary) => number {
  const time = (row: SessionSummary): string => (sort === 'updated' ? row.updated_at : row.created_at) ?? '';
  return (a, b) =>
    newestFirst({ id: a.id, name: null, createdAt: time(a) }, { id: b.id, name: null, createdAt: time(b) });
}

/**
 * Sessions, newest first. Damaged ones are listed as damaged; nothing is written, nothing is started.
 * @throws ZwarmError `usage`, `ambiguous` for a source
 */
export async function list(context: ManagerContext, options: ListOptions = {}): Promise<SessionSummary[]> {
  const sources = options.source === undefined ? null : parseSources(options.source);
  const store = openForReading(context);
  if (store === null) return [];
  const here = options.here ? realpathSync(context.cwd) : null;
  const nowMs = context.now();
  const rows: SessionSummary[] = [];
  const census = createCensus();
  for (const id of listSessionIds(store.root)) {
    const row = await readRow(store, id, nowMs, { cached: true, census });
    if (row !== null && matches(row, options, here)) rows.push(row);
  }
  if (sources !== null) {
    requireOneAgent(
      rows.map(({ source }) => source),
      sources,
    );
  }
  const chosen = sources === null ? rows : rows.filter(({ source }) => matchesSource(source, sources));
  chosen.sort(order(options.sort));
  if (options.all) return chosen;
  const limit = options.limit ?? DEFAULT_LIMIT;
  return chosen.filter((row, i) => i < limit || (options.limit === undefined && isLive(row)));
}

/** Whether there is something of a session to end: also what a kill that was killed itself has left. */
function isToEnd({ root }: Store, id: SessionId, row: SessionSummary | null, census: Census): boolean {
  // Whatever an agent wrote: that its turn has ended, or that its session is being removed.
  if (isEndPlanted(id, Number.POSITIVE_INFINITY, census)) return true;
  if (row === null) return false;
  const { status, turn } = row;
  if (status === 'damaged') return anyBears(marksOf(id), census);
  if (!isFinal(status) || turn === null) return isLive(row);
  return anyMemberLives(marksOf(id, turn), census) && readCancel(root, id, turn) !== null;
}

/** The sessions of which something is to be ended, from their own files, never from summaries. */
export async function listLive(context: ManagerContext): Promise<SessionId[]> {
  const store = openForReading(context);
  if (store === null) return [];
  const live: SessionId[] = [];
  const census = createCensus();
  for (const id of listSessionIds(store.root)) {
    const row = await readRow(store, id, context.now(), { cached: false, census });
    if (isToEnd(store, id, row, census)) live.push(id);
  }
  return live;
}
