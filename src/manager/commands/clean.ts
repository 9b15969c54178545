import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { type CleanItem, type CleanPlan, keyOf } from '../../core/rules/clean-plan.ts';
import { tagFilter } from '../../core/rules/tags.ts';
import type { SessionSummary } from '../../core/session.ts';
import { isAtRest } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { createCensus } from '../../process/turn-processes.ts';
import { sessionDir } from '../../store/layout.ts';
import { isForbidden, unlessDamaged } from '../../store/read-file.ts';
import { removeLeftovers, treeBytes } from '../../store/remove.ts';
import { discardMarks } from '../../store/seen.ts';
import { hasSession, listSessionIds, readSessionRecord } from '../../store/sessions.ts';
import { readTrashed } from '../../store/trash.ts';
import { hasTrees, knownTree } from '../../store/trees.ts';
import { forgetWriter, listWriters } from '../../store/writers.ts';
import { callerOf, isUsers } from '../access/caller.ts';
import { requireMayEnd } from '../access/permissions.ts';
import { type ManagerContext, openForReading, type Session, type Store } from '../context.ts';
import type { LookedAt, Surroundings } from '../removal/look-at-tree.ts';
import type { Judged } from '../removal/plan.ts';
import { pidsLeftBy } from '../session/processes-left.ts';
import { computeListedTogether, rowOf } from '../session/session-summary.ts';
import { emptyDue, remove } from './rm.ts';

/** Which sessions to remove. */
export interface CleanOptions {
  /** Those that ended at least so long ago. */
  readonly olderThanMs: number;
  /** Only those with one of these tags; then no trees and branches without a session. */
  readonly tags?: readonly string[] | undefined;
  /** None but these items of a plan, by their keys. */
  readonly only?: readonly string[] | undefined;
  /** Also what exists only there: it goes into the trash for seven days. */
  readonly saves?: boolean | undefined;
  /** Only tell what would be removed. */
  readonly dryRun: boolean;
}

/** A session that was removed, or would be; what could not be read of it is null. */
export interface CleanedSession {
  readonly id: SessionId;
  readonly name: string | null;
  readonly task: string | null;
  readonly updated_at: string | null;
  readonly bytes: number;
}

/** A session that stayed. */
export interface SkippedSession {
  readonly id: SessionId;
  /** Its status, or the code of the error. */
  readonly reason: string;
  /** Whether its last change is long enough ago; null where that is unknown. */
  readonly old_enough: boolean | null;
}

/** The processes that a session has left running. */
interface LeftProcesses {
  readonly id: SessionId;
  readonly pids: readonly number[];
}

/** What `clean` did, or with `dryRun` would do. */
export interface CleanResult extends CleanPlan {
  readonly removed: readonly SessionId[];
  /** The same sessions, with what is known of them. */
  readonly sessions: readonly CleanedSession[];
  readonly skipped: readonly SkippedSession[];
  /** What is in the trash now: of these sessions, and trees without one, which have got an id there. */
  readonly trashed: readonly SessionId[];
  /** The processes that these sessions have left running. */
  readonly left: readonly LeftProcesses[];
  /** Worktrees of sessions that were removed and that stay. */
  readonly worktrees: readonly string[];
  readonly bytes: number;
}

/** A session that is old enough, with its row; null where that cannot be read. */
interface Candidate {
  readonly session: Session;
  readonly row: SessionSummary | null;
  readonly old_enough: boolean | null;
}

/** Since when a session has been as it is (ms since the epoch); what was taken in from elsewhere, no longer than it is here. */
function unchangedSinceMs(session: Session, { status, updated_at }: SessionSummary): number | null {
  const updated = parseIso(updated_at);
  if (updated === null || status === 'damaged') return updated;
  const { imported_at, unpacked } = readSessionRecord(session);
  return Math.max(updated, parseIso(imported_at) ?? 0, parseIso(unpacked?.at ?? null) ?? 0);
}

const byId = ({ id: a }: { readonly id: string }, { id: b }: { readonly id: string }): number =>
  a < b ? -1 : Number(a > b);

/** The sessions that ended long enough ago, those without a tree first; and why others stay. None is from the future, as the clock was changed. */
async function findCandidates(
  context: ManagerContext,
  store: Store,
  { olderThanMs, tags }: CleanOptions,
): Promise<{ candidates: readonly Candidate[]; skipped: SkippedSession[] }> {
  const isTagged = tagFilter(tags);
  const candidates: Candidate[] = [];
  const skipped: SkippedSession[] = [];
  const nowMs = context.now();
  const prices = await store.prices();
  const sessions = listSessionIds(store.root).map((id) => ({ store, id }));
  for await (const [session, listed] of computeListedTogether(sessions, nowMs)) {
    const { id } = session;
    const row = listed && rowOf(session, listed, prices);
    if (!isTagged(row?.tags ?? [])) continue;
    const since = row === null ? null : unlessDamaged(() => unchangedSinceMs(session, row));
    const old_enough = since === null ? null : nowMs - since >= olderThanMs;
    if (row !== null && !isAtRest(row.status)) skipped.push({ id, reason: row.status, old_enough });
    // It may say that it is to be kept.
    else if (row !== null && row.unknown_words.length > 0)
      skipped.push({ id, reason: 'newer_record', old_enough });
    else if (row === null || old_enough === true) candidates.push({ session, row, old_enough });
  }
  // One that works in the tree of another keeps that.
  const hasTree = ({ session }: Candidate): number => (knownTree(session) === null ? 0 : 1);
  candidates.sort((a, b) => hasTree(a) - hasTree(b) || byId(a.session, b.session));
  return { candidates, skipped: skipped.sort(byId) };
}

/** What would become of a session, and of the tree that was made for it. */
type JudgedSession = Judged & { readonly looked: LookedAt | null };

async function judge(
  context: ManagerContext,
  { session, row }: Candidate,
  around: () => Promise<Surroundings>,
): Promise<JudgedSession> {
  const { store, id } = session;
  const own = {
    kind: 'session',
    id,
    name: row?.name ?? null,
    bytes: treeBytes(sessionDir(session)),
  } as const;
  // What a command that was killed has begun to move into the trash is moved there, whatever is in it.
  const isBegun = unlessDamaged(() => readTrashed(session)) !== null;
  const tree =
    hasTrees(store.root) && !isBegun ? (await import('../removal/look-at-tree.ts')).treeOf(session) : null;
  if (tree === null) {
    const nothing = { path: null, branch: null, reasons: [], ignored: [] };
    return { group: 'safe', item: { ...own, ...nothing }, looked: null };
  }
  const { lookAtTree } = await import('../removal/look-at-tree.ts');
  const { itemOfTree } = await import('../removal/plan.ts');
  await (await import('../changes/while-it-settles.ts')).whileAllSettle(session);
  const looked = await lookAtTree(context, tree, session, await around());
  return { group: looked.verdict.group, item: itemOfTree(looked, own), looked };
}

/** So many trees are looked at at once. */
const AT_ONCE = 4;

/** Does something for each item, for a few of them at a time. */
async function forFew<T, U>(
  items: readonly T[],
  act: (item: T) => Promise<U>,
): Promise<PromiseSettledResult<U>[]> {
  const results: PromiseSettledResult<U>[] = [];
  const todo = items.entries();
  const work = async (): Promise<void> => {
    for (const [i, item] of todo) [results[i]] = await Promise.allSettled([act(item)]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** What is found out and done on the way. */
type Lists = Record<Judged['group'], CleanItem[]> & {
  readonly sessions: CleanedSession[];
  readonly skipped: SkippedSession[];
  readonly trashed: SessionId[];
  readonly left: LeftProcesses[];
};

/** Whether `clean` may remove something now. */
type May = (judged: Judged) => boolean;

/** Judges sessions and removes those that may be removed, each right after it was judged. */
async function cleanSessions(
  context: ManagerContext,
  store: Store,
  options: CleanOptions,
  { may, lists }: { readonly may: May; readonly lists: Lists },
): Promise<void> {
  const { dryRun } = options;
  const census = createCensus();
  const { candidates, skipped } = await findCandidates(context, store, options);
  lists.skipped.push(...skipped);
  const look = async () => (await import('../removal/look-at-tree.ts')).lookAround(context, store);
  let around: Promise<Surroundings> | undefined;
  const lookOnce = () => (around ??= look());
  const planned = dryRun ? await forFew(candidates, (one) => judge(context, one, lookOnce)) : null;
  for (const [i, candidate] of candidates.entries()) {
    const { session, row, old_enough } = candidate;
    const { id } = session;
    if (options.only?.includes(keyOf({ kind: 'session', id, path: null, branch: null })) === false) continue;
    try {
      await requireMayEnd(context, session);
      const known = planned?.[i];
      if (known?.status === 'rejected') throw known.reason;
      const judged = known?.value ?? (await judge(context, candidate, look));
      const { group, item, looked } = judged;
      if (!may(judged)) {
        lists[group].push(item);
        lists.skipped.push({ id, reason: 'tree_kept', old_enough });
        continue;
      }
      const done = dryRun ? null : await remove(context, session, { census, looked });
      lists[group].push(item);
      if (done?.trashed) lists.trashed.push(id);
      const pids = done?.left ?? pidsLeftBy(session, census);
      if (pids.length > 0) lists.left.push({ id, pids });
      const { name = null, task = null, updated_at = null } = row ?? {};
      lists.sessions.push({ id, name, task, updated_at, bytes: done?.bytes ?? item.bytes ?? 0 });
    } catch (error) {
      if (!(error instanceof ZwarmError) && !isForbidden(error)) throw error;
      lists.skipped.push({ id, reason: toZwarmError(error).code, old_enough });
    }
  }
}

/** The same for what belongs to no session: trees, branches, and what is left of commands and in the trash. */
async function cleanTheRest(
  context: ManagerContext,
  store: Store,
  { olderThanMs, dryRun, tags }: CleanOptions,
  { may, lists }: { readonly may: May; readonly lists: Lists },
): Promise<void> {
  const nowMs = context.now();
  const { commonOf, leftoversOf, strayTrees } = await import('../removal/plan.ts');
  // What has no session has no tags, and was started by nobody whom an agent may stand for.
  const common = tags === undefined && isUsers(callerOf(context).source) ? commonOf(store) : null;
  if (common !== null) {
    const { removeStray } = await import('../removal/remove-stray.ts');
    const { lookAround } = await import('../removal/look-at-tree.ts');
    const { strayBranches } = await import('../removal/branches.ts');
    const isOld = (ms: number) => nowMs - ms >= olderThanMs;
    const trees = await strayTrees(context, store, await lookAround(context, store), isOld);
    for (const one of [...trees, ...(await strayBranches(context, store, common))]) {
      const done = dryRun || !may(one) ? null : await removeStray(context, store, common, one);
      lists[done === 'kept' ? 'kept' : one.group].push(one.item);
      if (done !== null && done !== 'kept' && done !== 'removed') lists.trashed.push(done);
    }
  }
  lists.safe.push(...leftoversOf(store, nowMs).map(({ item }) => item));
  if (dryRun) return;
  removeLeftovers(store.root, nowMs);
  for (const { id, turn } of listWriters(store.root))
    if (!hasSession({ store, id })) forgetWriter({ store, id, turn });
  if (hasTrees(store.root)) await (await import('../launch/tree.ts')).takeBackUnmade(context, store);
  await emptyDue(context, store);
  discardMarks(store.state, store.id, (id) => !hasSession({ store, id }));
}

/**
 * Removes the sessions that ended at least `olderThanMs` ago with their trees, and what is left of others: what is safe, and
 * with `saves` what can be put into the trash. All of it is judged again right before it is removed.
 */
export async function clean(context: ManagerContext, options: CleanOptions): Promise<CleanResult> {
  const { dryRun, saves = false, only } = options;
  const lists: Lists = {
    safe: [],
    saved_first: [],
    kept: [],
    sessions: [],
    skipped: [],
    trashed: [],
    left: [],
  };
  const may: May = ({ group, item }) =>
    (group === 'safe' || (saves && group === 'saved_first')) && only?.includes(keyOf(item)) !== false;
  const store = openForReading(context, !dryRun);
  if (store !== null) {
    await cleanSessions(context, store, options, { may, lists });
    await cleanTheRest(context, store, options, { may, lists });
  }
  const { sessions } = lists;
  const bytes = sessions.reduce((sum, { bytes: own }) => sum + own, 0);
  return { removed: sessions.map(({ id }) => id), ...lists, worktrees: [], bytes };
}
