import { setTimeout as sleep } from 'node:timers/promises';
import type { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { needsAttention } from '../../core/rules/attention.ts';
import type { SessionSummary } from '../../core/session.ts';
import { isActive, isAtRest } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { namesDir, projectsDir, sessionsDir, turnDir, turnsDir } from '../../store/layout.ts';
import { marksPlaces } from '../../store/seen.ts';
import { directoryMtime, eventsMtime, listSessions } from '../../store/sessions.ts';
import { createSummaryReader } from '../../store/summary.ts';
import { watchDirectories } from '../../store/watch.ts';
import { type ManagerContext, type Session, type Store, stateDirectory } from '../context.ts';
import { readStateFromRecords } from '../session/current-turn.ts';
import { unlessGone } from '../session/damage.ts';
import { computeListedTogether, FOLD_VERSION, rowOf, sharedWith } from '../session/session-summary.ts';

/** Notification is only a hint, and a death that no file records gives none: so often everything is looked at. */
const LOOK_AGAIN_MS = 15_000;
/** The shortest pause between two looks. However much there is to read, that takes a fifth of the time at most. */
const PAUSE_MS = 250;
const PAUSE_PER_MS = 4;
/** So many of the sessions that are shown are watched for a further turn; that of another is found by the next look. */
const MOST_WATCHED = 100;

/** A session as it was last read. */
interface Known {
  readonly row: SessionSummary;
  /** When a turn was last added to it, as it was before the reading. */
  readonly turnsMs: number | null;
}

/** The sessions of a store. */
interface Sessions {
  readonly rows: Map<SessionId, Known>;
  /** Their ids, and when one of these last came or went, as it was before they were listed. */
  listed: ReturnType<typeof listSessions>;
  listedMs: number | null;
}

const NONE = { directories: [], others: [] };

/** The directories in which something happens when a session changes. */
function placesOf(session: Session, { status, turn }: SessionSummary): readonly string[] {
  const places = [turnsDir(session)];
  return isActive(status) && turn !== null ? [...places, turnDir({ ...session, turn })] : places;
}

/** Whether a session may stand otherwise than it was read: found out without reading what its agent printed. */
async function isStale(session: Session, { row, turnsMs }: Known, nowMs: number): Promise<boolean> {
  if (directoryMtime(turnsDir(session)) !== turnsMs) return true;
  if (isAtRest(row.status)) return false;
  const current = (await unlessGone(readStateFromRecords(session, nowMs)))?.current;
  if (current?.verdict.status !== row.status || current.turn !== row.turn) return true;
  return Math.floor(eventsMtime(current) ?? 0) > (parseIso(row.updated_at) ?? 0);
}

/** What to read again of what is known: where something has happened, and with `isDue` whatever is stale. */
interface Hints {
  readonly changed: ReadonlySet<string>;
  readonly isDue: boolean;
  readonly nowMs: number;
}

/** Lists the ids of a store anew where one may have come or gone. */
function listAnew({ root }: Store, sessions: Sessions, { changed }: Hints): void {
  const directory = sessionsDir(root);
  const listedMs = directoryMtime(directory);
  if (listedMs === sessions.listedMs && !changed.has(directory)) return;
  sessions.listedMs = listedMs;
  sessions.listed = listSessions(root);
  const { directories, others } = sessions.listed;
  const ids = new Set([...directories, ...others]);
  for (const id of sessions.rows.keys()) if (!ids.has(id)) sessions.rows.delete(id);
}

/** Brings the sessions of a store up to date: reads those that are new or not as they were, and forgets those that are gone. */
async function update(store: Store, sessions: Sessions, hints: Hints): Promise<void> {
  const { changed, isDue, nowMs } = hints;
  const readSummaryFile = createSummaryReader(store, FOLD_VERSION);
  listAnew(store, sessions, hints);
  const { rows } = sessions;
  const { directories, others } = sessions.listed;
  /** Of those that their own files have to tell: when a turn was last added, as it was before the reading. */
  const untold = new Map<SessionId, number | null>();
  for (const id of [...directories, ...others]) {
    const session = { store, id };
    const known = rows.get(id);
    const isCurrent =
      known !== undefined &&
      !placesOf(session, known.row).some((place) => changed.has(place)) &&
      !(isDue && (await isStale(session, known, nowMs)));
    if (isCurrent) continue;
    const turnsMs = directoryMtime(turnsDir(session));
    const summary = others.includes(id) ? null : readSummaryFile(id);
    if (summary === null) untold.set(id, turnsMs);
    else rows.set(id, { row: rowOf(session, summary, await store.prices()), turnsMs });
  }
  const sessionsUntold = [...untold.keys()].map((id) => ({ store, id }));
  for await (const [{ id }, listed] of computeListedTogether(sessionsUntold, nowMs)) {
    if (listed === null) rows.delete(id);
    else {
      const row = rowOf({ store, id }, listed, await store.prices());
      rows.set(id, { row, turnsMs: untold.get(id) ?? null });
    }
  }
}

/** A row with its name and its seen mark as they are now. */
function renewed({ store, id }: Session, row: SessionSummary): SessionSummary {
  const seen = store.seen && (store.seen.get(id) ?? 0);
  const needs_attention = needsAttention(row, store.caller, seen);
  const shared_with = sharedWith({ store, id }, row);
  return { ...row, name: store.names.get(id) ?? null, shared_with, needs_attention };
}

/** What is known of each store, by its directory. */
type Stores = Map<string, Sessions>;

/** A list to be followed: whose sessions it has, and which of their rows; both are asked for each time. */
interface Wanted<Listing> {
  stores(): Promise<{ readonly stores: readonly Store[]; readonly refused: readonly ZwarmError[] }>;
  selection(): { note(session: Session, row: SessionSummary): void; chosen(): Promise<Listing> };
}

/** Looks at all stores once: the list as it is now, and the directories in which the next change will be noticed. */
async function look<Listing extends { readonly rows: readonly SessionSummary[] }>(
  context: ManagerContext,
  wanted: Wanted<Listing>,
  known: Stores,
  hints: Hints,
) {
  const { note, chosen } = wanted.selection();
  const { stores, refused } = await wanted.stores();
  const all: { session: Session; row: SessionSummary }[] = [];
  const places = new Set([projectsDir(stateDirectory(context))]);
  for (const store of stores) {
    const { root, state, caller } = store;
    const sessions: Sessions = known.get(root) ?? { rows: new Map(), listed: NONE, listedMs: null };
    known.set(root, sessions);
    await update(store, sessions, hints);
    for (const [id, { row }] of sessions.rows) all.push({ session: { store, id }, row });
    for (const place of [sessionsDir(root), namesDir(root), ...marksPlaces(state, caller, store.id)])
      places.add(place);
  }
  for (const { session, row } of all) note(session, renewed(session, row));
  const listing = { ...(await chosen()), refused };
  const shown = new Set(listing.rows.slice(0, MOST_WATCHED).map(({ id }) => id));
  for (const { session, row } of all)
    if (isActive(row.status) || shown.has(session.id))
      for (const place of placesOf(session, row)) places.add(place);
  return { listing, places };
}

/**
 * A list, again whenever something in it may have changed, until the signal aborts. Between two looks at everything only
 * the sessions are read in whose directories something has happened. @throws what `wanted` throws
 */
export async function* followList<Listing extends { readonly rows: readonly SessionSummary[] }>(
  context: ManagerContext,
  wanted: Wanted<Listing>,
  signal: AbortSignal,
  lookAgainMs = LOOK_AGAIN_MS,
) {
  const watches = watchDirectories();
  const known: Stores = new Map();
  let dueMs = 0;
  try {
    while (!signal.aborted) {
      const beganMs = performance.now();
      const isDue = beganMs >= dueMs;
      if (isDue) dueMs = beganMs + lookAgainMs;
      const hints = { changed: watches.changed(), isDue, nowMs: context.now() };
      const { listing, places } = await look(context, wanted, known, hints);
      watches.follow(places);
      const tookMs = performance.now() - beganMs;
      yield listing;
      await sleep(Math.max(PAUSE_MS, PAUSE_PER_MS * tookMs), undefined, { signal }).catch(() => undefined);
      await watches.next(Math.max(1, dueMs - performance.now()), signal);
    }
  } finally {
    watches.close();
  }
}
