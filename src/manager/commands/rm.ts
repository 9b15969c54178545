import { errnoOf, ZwarmError } from '../../core/errors.ts';
import { nameOfKey } from '../../core/rules/key.ts';
import { isActive } from '../../core/status.ts';
import { marksOfSession } from '../../core/turn-mark.ts';
import { livenessOf } from '../../process/identity.ts';
import { anyLives, type Census, createCensus } from '../../process/turn-processes.ts';
import { claimTombstone } from '../../store/claim.ts';
import { ownCheckoutAt } from '../../store/git.ts';
import { sessionDir } from '../../store/layout.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import type { SessionRecord } from '../../store/records.ts';
import { MOST_FILES, removeSession, treeBytes } from '../../store/remove.ts';
import { discardMarks } from '../../store/seen.ts';
import {
  isTombstone,
  listTurns,
  readExit,
  readRequest,
  readRunner,
  readSessionRecord,
} from '../../store/sessions.ts';
import { listTrashed, readTrashed } from '../../store/trash.ts';
import { hasTrees } from '../../store/trees.ts';
import { forgetWriter, listWriters } from '../../store/writers.ts';
import { requireUser } from '../access/caller.ts';
import { type ManagerContext, openForReading, type Session, type Store } from '../context.ts';
import { newRequest } from '../launch/new-request.ts';
import { requireClosed } from '../launch/preconditions.ts';
import type { LookedAt, Tree } from '../removal/look-at-tree.ts';
import type { Emptied } from '../removal/trash.ts';
import { readStateFromRecords } from '../session/current-turn.ts';
import { pidsLeftBy } from '../session/processes-left.ts';
import { declareNeverLaunched } from '../stop/request-cancel.ts';
import { elsewhereError, whereOf, whereStarted } from '../turn/where-it-ran.ts';

const hintFor = (id: string): string => `remove it there; if that is gone for good: zwarm rm --force ${id}`;

/** Refuses where a turn without a recorded end was started elsewhere. @throws ZwarmError `unknown_liveness` */
function refuseElsewhere(session: Session): void {
  const { id } = session;
  for (const number of unlessDamaged(() => listTurns(session)) ?? []) {
    const turn = { ...session, turn: number };
    if (unlessDamaged(() => readExit(turn)) !== null) continue;
    const request = unlessDamaged(() => readRequest(turn));
    const claimer = request?.kind === 'tombstone' ? null : request?.claimer;
    const starter = readRunner(turn)?.identity ?? claimer ?? null;
    if (starter !== null && livenessOf(starter) === 'cannot_tell')
      throw elsewhereError(id, whereOf(starter), hintFor(id));
  }
}

/** How to remove: `force` also what may live where that cannot be seen; one `census` serves a whole `clean`. */
interface RemoveOptions {
  readonly force: boolean;
  readonly census: Census;
  /** What was found out about the worktree right before; else that is done here. */
  readonly looked: LookedAt | null;
}

/** Claims the next turn with a tombstone: from here on it takes no message, and readers see the session no longer. */
async function claimRemoval(context: ManagerContext, session: Session, force: boolean): Promise<void> {
  const { id } = session;
  const now = await readStateFromRecords(session, context.now());
  const { current } = now;
  requireClosed(now);
  const status = current?.verdict.status;
  if (current !== null && status === 'unknown' && !force)
    throw elsewhereError(id, whereStarted(current), hintFor(id));
  if (status !== undefined && isActive(status))
    throw new ZwarmError('busy', `${id} is still ${status}`, `end it first: zwarm kill ${id}`);
  declareNeverLaunched(context, now);
  const turn = { ...session, turn: (now.turns.at(-1) ?? 0) + 1 };
  claimTombstone(turn, newRequest(context, 'tombstone'));
}

/** Refuses a damaged session that may still run. @throws ZwarmError `busy`, `unknown_liveness` */
function requireDead(session: Session, { force, census }: Omit<RemoveOptions, 'looked'>): void {
  if (!force) refuseElsewhere(session);
  if (!anyLives(marksOfSession(session), census)) return;
  const { id } = session;
  const what = `${id} is damaged, but its agent still runs`;
  throw new ZwarmError('busy', what, `end it first: zwarm kill ${id}`);
}

/** The names that a session has, its key included. */
function namesOf(session: Session): readonly string[] {
  const name = session.store.names.get(session.id);
  const record = unlessDamaged(() => readSessionRecord(session));
  const key = record?.key ?? null;
  return [
    ...(name === undefined ? [] : [name]),
    ...(key === null || record === null ? [] : [nameOfKey(record.source, key)]),
  ];
}

/** What the removal of a session has freed, and what stays of it. */
export interface Removed {
  readonly bytes: number;
  /** The worktree that was made for it and stays, which is the user's from now on; null where there is none. */
  readonly worktree: string | null;
  /** Whether it can be restored, for seven days: it went into the trash, with its worktree. */
  readonly trashed: boolean;
  /** The processes that its turns have left running: from now on nobody knows whose they are. */
  readonly left: readonly number[];
  /** What of its worktree exists nowhere else, or why that stays, in words. */
  readonly reasons: readonly string[];
}

/** Looks at the worktree that was made for a session; null where there is none. */
async function lookFor(context: ManagerContext, session: Session): Promise<LookedAt | null> {
  if (!hasTrees(session.store.root)) return null;
  const { lookAround, lookAtTree, treeOf } = await import('../removal/look-at-tree.ts');
  const tree = treeOf(session);
  if (tree === null) return null;
  await (await import('../changes/while-it-settles.ts')).whileAllSettle(session);
  return lookAtTree(context, tree, session, await lookAround(context, session.store));
}

/** Removes the worktree of a session, or gives it to the user; where it stays, or null. */
async function endTree(context: ManagerContext, session: Session, looked: LookedAt): Promise<string | null> {
  const { releaseTree } = await import('../launch/tree.ts');
  const { tree, facts, verdict } = looked;
  if (verdict.group !== 'safe') return releaseTree(context, session);
  if (facts !== null)
    await (await import('../removal/drop-tree.ts')).dropTree(context, session.id, { tree, facts });
  await releaseTree(context, session);
  return null;
}

/** Moves a session into the trash, with its worktree. */
async function trash(context: ManagerContext, session: Session, looked: LookedAt | null): Promise<void> {
  const { finishMove, putInTrash } = await import('../removal/trash.ts');
  const begun = readTrashed(session);
  if (begun !== null) finishMove(context, session, begun);
  else if (looked !== null) putInTrash(context, session, looked, namesOf(session));
}

/** Where a commit of a session is pinned. */
function pinnedIn({ store }: Session, record: SessionRecord | null, tree: Tree | undefined): string | null {
  if (tree !== undefined) return tree.common;
  if (!record?.git) return null;
  // A worktree may be gone by now.
  const user = ownCheckoutAt(record.git.root) ?? ownCheckoutAt(store.projectRoot);
  return user?.common ?? null;
}

/** Deletes a session that is not running, damaged or not, and its worktree. @throws ZwarmError `busy`, … */
export async function remove(
  context: ManagerContext,
  session: Session,
  { force = false, census = createCensus(), looked: given }: Partial<RemoveOptions> = {},
): Promise<Removed> {
  const { store, id } = session;
  // What a command that was killed has begun to move there goes there.
  const isBegun = unlessDamaged(() => readTrashed(session)) !== null;
  const first = isBegun ? null : given === undefined ? await lookFor(context, session) : given;
  // As it was: what its removal writes is nobody's.
  const ofTree = first?.verdict.group === 'safe' ? treeBytes(first.tree.path, MOST_FILES) : 0;
  const bytes = treeBytes(sessionDir(session)) + (ofTree ?? 0);
  const isBuried = unlessDamaged(() => {
    const last = listTurns(session).at(-1);
    return last !== undefined && isTombstone({ ...session, turn: last });
  });
  if (isBuried) {
    if (!force) refuseElsewhere(session);
  } else {
    await claimRemoval(context, session, force).catch((error: unknown) => {
      if (!(error instanceof ZwarmError && error.code === 'damaged')) throw error;
      requireDead(session, { force, census });
    });
  }
  // Until that claim a turn could begin, and even end.
  const looked = first?.verdict.group === 'safe' ? await lookFor(context, session) : first;
  const record = unlessDamaged(() => readSessionRecord(session));
  const left = pidsLeftBy(session, census);
  const reasons = looked?.verdict.reasons ?? [];
  const trashed = isBegun || looked?.verdict.group === 'saved_first';
  try {
    for (const { id: writer, turn } of listWriters(store.root))
      if (writer === id) forgetWriter({ ...session, turn });
    if (trashed) await trash(context, session, looked);
    const worktree = trashed || looked === null ? null : await endTree(context, session, looked);
    if (!trashed) removeSession(session, namesOf(session), context.newNonce());
    discardMarks(store.state, store.id, (marked) => marked === id);
    const common = trashed ? null : pinnedIn(session, record, looked?.tree);
    if (common !== null) await (await import('../changes/pin.ts')).releasePin(context, session, common);
    return { bytes: trashed ? 0 : bytes, worktree, trashed, left, reasons };
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new ZwarmError('not_found', `${id} was removed by another command`, 'see: zwarm ls');
  }
}

/** Removes for good what has been in the trash long enough. */
export async function emptyDue(context: ManagerContext, store: Store): Promise<void> {
  if (listTrashed(store.root).length > 0)
    await (await import('../removal/trash.ts')).emptyTrash(context, store, 'due');
}

/** Removes for good what is in the trash: what is named, or all of it. @throws ZwarmError `not_found`, `ambiguous` */
export async function emptyNow(context: ManagerContext, refs: readonly string[]): Promise<Emptied> {
  requireUser(context);
  const store = openForReading(context, true);
  const { emptyTrash, findTrashed } = await import('../removal/trash.ts');
  if (store === null && refs.length === 0) return { removed: [], kept: [] };
  const ids = refs.map((ref) => findTrashed(store, ref));
  if (store === null) return { removed: [], kept: [] };
  return emptyTrash(context, store, refs.length === 0 ? listTrashed(store.root) : ids);
}
