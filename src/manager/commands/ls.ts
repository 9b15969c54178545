import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { ZwarmError } from '../../core/errors.ts';
import { type Dated, newestFirst } from '../../core/ids.ts';
import { isWithin } from '../../core/path.ts';
import type { Started } from '../../core/rules/source.ts';
import { tagFilter } from '../../core/rules/tags.ts';
import type { SessionSummary } from '../../core/session.ts';
import type { SessionStatus } from '../../core/status.ts';
import { isActive } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { callerOf } from '../access/caller.ts';
import { type ManagerContext, openForReading, type Session, type Store } from '../context.ts';
import { unlessGone } from '../session/damage.ts';
import { forEachSession } from '../session/each-session.ts';
import { rowOf } from '../session/session-summary.ts';

/** Which sessions to list: by default all that run or are about to, and the newest 20; damaged ones in any case. */
export interface ListOptions {
  readonly all?: boolean | undefined;
  /** The newest `limit` sessions instead of the newest 20, whatever their status. */
  readonly limit?: number | undefined;
  readonly statuses?: readonly SessionStatus[] | undefined;
  /** Only sessions with one of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** Only sessions that work in the caller's directory or below it. */
  readonly here?: boolean | undefined;
  /** Only sessions that changed at or after this time (ms since the epoch). */
  readonly sinceMs?: number | undefined;
  /** Only sessions with this text in a line of their messages, answers or name, found as `search` finds a word. */
  readonly grep?: string | undefined;
  /** Only sessions that have ended, and of which this caller has not seen it. */
  readonly attention?: boolean | undefined;
  /** Only sessions that these started: `mine`, `you`, `orch`, `orch:ab12`, `mcp`, `mcp:CLIENT`, `lib`, separated by commas. */
  readonly source?: string | undefined;
  readonly sort?: 'created' | 'updated' | undefined;
  /** The sessions of all projects. */
  readonly everywhere?: boolean | undefined;
  /** Look for what ended turns have left running: at all processes of this machine, once. */
  readonly countsLeft?: boolean | undefined;
  /** Damaged ones like all others: for ids that another command gets. */
  readonly exactly?: boolean | undefined;
}

const DEFAULT_LIMIT = 20;

/** Whether a row is asked for, its source and text aside; what is not asked for costs nothing. */
function filterOf(options: ListOptions, cwd: string): (row: SessionSummary) => boolean {
  const { statuses, attention, sinceMs } = options;
  const here = options.here ? realpathSync(cwd) : null;
  const placeOf = (row: SessionSummary) => join(row.working_dir ?? '/', row.work_in ?? '');
  const isTagged = tagFilter(options.tags);
  return (row) =>
    (statuses === undefined || statuses.includes(row.status)) &&
    isTagged(row.tags) &&
    (!attention || row.needs_attention === true) &&
    (here === null || isWithin(placeOf(row), here)) &&
    (sinceMs === undefined || (parseIso(row.updated_at) ?? 0) >= sinceMs);
}

/** What is shown of a session, and what decides whether and where it stands in the list. */
interface Entry<T> extends Dated {
  readonly source: string | null;
  readonly status: SessionStatus;
  /** Whether it is listed whatever is asked for. */
  readonly always: boolean;
  /** Whether it holds the text that is asked for; null where none is. */
  readonly holds: (() => Promise<boolean>) | null;
  readonly shown: T;
}

/** What a list shows, and what it leaves out. */
export interface Listing<T> {
  /** Newest first. */
  readonly rows: T[];
  /** How many sessions are as it was asked for, listed or not; and how many of these run. */
  readonly matching: number;
  readonly running: number;
  /** How many sessions there are. */
  readonly known: number;
}

/** Whether a session holds a text in a line of its name, task, messages or answers. */
type Grep = (session: Session, row: SessionSummary) => () => Promise<boolean>;

/** Each session is searched anew only when it has changed. Null where no text is asked for: then no row is kept for it. */
function createGrep(context: ManagerContext, text: string | undefined): Grep | null {
  if (!text) return null;
  // Most lists need nothing of it.
  const loading = import('../session/search-session.ts');
  const known = new Map<string, { readonly at: string | null; readonly holds: boolean }>();
  return (session, row) => async () => {
    const { createSearch, holdsAny } = await loading;
    const search = createSearch({ words: [text] }, ['prompt', 'answer']);
    if ([row.name, row.task].some((line) => line !== null && search.matches(line) !== null)) return true;
    const key = `${session.store.root} ${session.id}`;
    const before = known.get(key);
    if (before?.at === row.updated_at) return before.holds;
    const holds = (await unlessGone(holdsAny(session, search, context.now()))) ?? false;
    known.set(key, { at: row.updated_at, holds });
    return holds;
  };
}

/**
 * Chooses the rows that are asked for: `note` takes them, in any order, `chosen` returns what `show` made of those to be
 * listed. @throws ZwarmError `usage`, `ambiguous` for a source
 */
function createSelection<T>(
  context: ManagerContext,
  options: ListOptions,
  grep: Grep | null,
  show: (row: SessionSummary) => T,
) {
  const { source: asked } = options;
  const isAsked = filterOf(options, context.cwd);
  const listed: Entry<T>[] = [];
  const everyone: Started[] = [];
  let known = 0;
  const note = (session: Session, row: SessionSummary): void => {
    known += 1;
    if (asked !== undefined) everyone.push({ id: row.id, source: row.source });
    const always = row.status === 'damaged' && !options.exactly;
    if (!always && !isAsked(row)) return;
    const { id, source, status } = row;
    const at = (options.sort === 'created' ? row.created_at : row.active_at) ?? '';
    const holds = always || grep === null ? null : grep(session, row);
    listed.push({ id, at, source, status, always, holds, shown: show(row) });
  };
  const chosen = async (): Promise<Listing<T>> => {
    const wanted: Entry<T>[] = [];
    const isMeant = asked === undefined ? null : await loadSourceMatcher(context, asked, listed, everyone);
    for (const one of listed.filter((one) => one.always || isMeant === null || isMeant(one)))
      if (one.holds === null || (await one.holds())) wanted.push(one);
    wanted.sort(newestFirst);
    const limit = options.all ? Number.POSITIVE_INFINITY : (options.limit ?? DEFAULT_LIMIT);
    const rows = wanted.flatMap(({ status, always, shown }, i) =>
      i < limit || always || (options.limit === undefined && isActive(status)) ? [shown] : [],
    );
    const running = wanted.filter(({ status }) => status === 'running').length;
    return { rows, matching: wanted.length, running, known };
  };
  return { note, chosen };
}

/**
 * Sessions, newest first. Of each row only what `show` makes of it is kept: ten thousand whole ones cost more than to read
 * them. @throws ZwarmError `usage`, `ambiguous` for a source
 */
export async function list<T>(
  context: ManagerContext,
  options: ListOptions,
  show: (row: SessionSummary) => T,
): Promise<Listing<T> & { readonly refused: readonly ZwarmError[] }> {
  const { note, chosen } = createSelection(context, options, createGrep(context, options.grep), show);
  const { stores, refused } = await storesOf(context, options);
  const leftCount = options.countsLeft
    ? (await import('../session/processes-left.ts')).createLeftCount()
    : undefined;
  for (const store of stores) {
    const prices = await store.prices();
    await forEachSession(store, context.now(), (session, listed) =>
      note(session, rowOf(session, listed, prices, leftCount)),
    );
  }
  return { ...(await chosen()), refused };
}

/** The stores whose sessions are listed, and why others cannot be. */
export async function storesOf(
  context: ManagerContext,
  { everywhere }: Pick<ListOptions, 'everywhere'>,
): Promise<{ readonly stores: readonly Store[]; readonly refused: readonly ZwarmError[] }> {
  if (everywhere) return (await import('../project/all-stores.ts')).openAll(context);
  const store = openForReading(context);
  return { stores: store === null ? [] : [store], refused: [] };
}

/** The same list, again whenever something in it may have changed, until the signal aborts; `options` is asked each time. */
export async function* watchList(
  context: ManagerContext,
  options: () => ListOptions,
  signal: AbortSignal,
  lookAgainMs?: number,
) {
  const grep = createGrep(context, options().grep);
  const wanted = {
    stores: () => storesOf(context, options()),
    selection: () => createSelection(context, options(), grep, (row) => row),
  };
  yield* (await import('../follow/follow-list.ts')).followList(context, wanted, signal, lookAgainMs);
}

/** What tells whether a session is of the sources that are asked for: loaded here, as most lists ask for none. */
async function loadSourceMatcher(
  context: ManagerContext,
  asked: string,
  listed: readonly Started[],
  everyone: readonly Started[],
): Promise<(session: Started) => boolean> {
  const { parseSources, requireOneAgent, sourceMatcher } = await import('../../core/rules/source.ts');
  const sources = parseSources(asked, callerOf(context).source);
  requireOneAgent(
    listed.map(({ source }) => source),
    sources,
  );
  return sourceMatcher(sources, everyone);
}
