import { realpathSync } from 'node:fs';
import { type Created, newestFirst } from '../../core/ids.ts';
import { matchesSource, parseSources, requireOneAgent, type SourceFilter } from '../../core/rules/source.ts';
import type { SessionStatus, SessionSummary } from '../../core/session.ts';
import { isActive } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { createCensus } from '../../process/turn-processes.ts';
import { listSessions } from '../../store/sessions.ts';
import { createSummaryReader } from '../../store/summary.ts';
import { type ManagerContext, openForReading, type Store } from '../context.ts';
import { FOLD_VERSION, readRow, rowOf } from '../session/session-summary.ts';

/** Which sessions to list: by default all that run or are about to, and the newest 20; damaged ones in any case. */
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
  /** The sessions of all projects. */
  readonly everywhere?: boolean | undefined;
  /** Damaged ones like all others: for ids that another command gets. */
  readonly exactly?: boolean | undefined;
}

const DEFAULT_LIMIT = 20;

/** Whether a row is asked for, its source aside; what is not asked for costs nothing. */
function filterOf(options: ListOptions, cwd: string): (row: SessionSummary) => boolean {
  const { statuses, attention, sinceMs } = options;
  const here = options.here ? realpathSync(cwd) : null;
  const wanted = options.grep?.toLowerCase();
  const has = (text: string | null, part: string) => text?.toLowerCase().includes(part);
  return ({ status, needs_attention, working_dir, updated_at, task, name, last_message }) =>
    (statuses === undefined || statuses.includes(status)) &&
    (!attention || needs_attention === true) &&
    (here === null || working_dir === here) &&
    (sinceMs === undefined || (parseIso(updated_at) ?? 0) >= sinceMs) &&
    (wanted === undefined || [task, name, last_message].some((text) => has(text, wanted)));
}

/** What is shown of a session, and what decides whether and where it stands in the list. */
interface Entry<T> extends Created {
  readonly source: string | null;
  readonly live: boolean;
  /** Whether it is listed whatever is asked for. */
  readonly always: boolean;
  readonly shown: T;
}

/**
 * Sessions, newest first. Of each row only what `show` makes of it is kept: ten thousand whole ones cost more than to read
 * them. @throws ZwarmError `usage`, `ambiguous` for a source
 */
export async function list<T>(
  context: ManagerContext,
  options: ListOptions,
  show: (row: SessionSummary) => T,
): Promise<T[]> {
  const sources = options.source === undefined ? null : parseSources(options.source);
  const isAsked = filterOf(options, context.cwd);
  const listed: Entry<T>[] = [];
  const note = (row: SessionSummary): void => {
    const always = row.status === 'damaged' && !options.exactly;
    if (!always && !isAsked(row)) return;
    const { id, source, status } = row;
    const createdAt = (options.sort === 'updated' ? row.updated_at : row.created_at) ?? '';
    listed.push({ id, createdAt, source, live: isActive(status), always, shown: show(row) });
  };
  for (const store of await storesOf(context, options)) await forEachRow(store, context.now(), note);
  const chosen = sources === null ? listed : ofSources(listed, sources);
  chosen.sort(newestFirst);
  const limit = options.all ? Number.POSITIVE_INFINITY : (options.limit ?? DEFAULT_LIMIT);
  return chosen.flatMap(({ live, always, shown }, i) =>
    i < limit || always || (options.limit === undefined && live) ? [shown] : [],
  );
}

async function storesOf(context: ManagerContext, { everywhere }: ListOptions): Promise<readonly Store[]> {
  if (everywhere) return (await import('../project/all-stores.ts')).openAll(context).stores;
  const store = openForReading(context);
  return store === null ? [] : [store];
}

function ofSources<T>(listed: readonly Entry<T>[], sources: readonly SourceFilter[]): Entry<T>[] {
  const all = listed.map(({ source }) => source);
  requireOneAgent(all, sources);
  return listed.filter(({ source, always }) => always || matchesSource(source, sources));
}

/** Every row of the store, in no order; from summaries where they tell it. */
async function forEachRow(store: Store, nowMs: number, tell: (row: SessionSummary) => void): Promise<void> {
  const readSummary = createSummaryReader(store, FOLD_VERSION);
  const census = createCensus();
  // A file or link in the place of a session has no summary.
  const { directories, others: rest } = listSessions(store.root);
  for (const id of directories) {
    const summary = readSummary(id);
    if (summary === null) rest.push(id);
    else tell(rowOf({ store, id }, summary));
  }
  for (const id of rest) {
    const row = await readRow({ store, id }, nowMs, census);
    if (row !== null) tell(row);
  }
}
