import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isKey } from '../../core/rules/key.ts';
import { isoTime, parseIso } from '../../core/time.ts';
import { removeTree } from '../../store/files.ts';
import { holderOf, takeName } from '../../store/names.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import type { TrashedRecord } from '../../store/records.ts';
import {
  deleteTrashed,
  listTrashed,
  moveIntoTrash,
  moveOutOfTrash,
  readTrashed,
  recordTrashed,
} from '../../store/trash.ts';
import { moveTree } from '../../store/trees.ts';
import { releasePin } from '../changes/pin.ts';
import type { ManagerContext, Session, Store } from '../context.ts';
import { forget } from '../launch/tree.ts';
import { dropTree, TRASH_MS } from './drop-tree.ts';
import { type LookedAt, lookAround, lookAtTree, type Surroundings } from './look-at-tree.ts';

/** What is in the trash. */
export interface Trashed {
  readonly id: SessionId;
  /** Its name; null where it had none. */
  readonly name: string | null;
  /** Where its worktree was, and where that is now. */
  readonly path: string;
  readonly at: string;
  readonly reasons: readonly string[];
  /** When it may be removed for good (ms since the epoch). */
  readonly untilMs: number;
}

function describe(id: SessionId, { names, tree, reasons, at }: TrashedRecord): Trashed {
  const name = names.find((one) => !isKey(one)) ?? null;
  return { id, name, path: tree.path, at: tree.at, reasons, untilMs: (parseIso(at) ?? 0) + TRASH_MS };
}

/** What is in the trash of a store; what cannot be read there stays. */
export function trashOf(store: Pick<Store, 'root'>): readonly Trashed[] {
  return listTrashed(store.root).flatMap((id) => {
    const record = unlessDamaged(() => readTrashed({ store, id }));
    return record === null ? [] : [describe(id, record)];
  });
}

/** Goes on where a command was killed that moved a session into the trash. */
export function finishMove(context: ManagerContext, session: Session, { tree, names }: TrashedRecord): void {
  if (existsSync(tree.path) || existsSync(tree.at))
    moveTree(tree.git_dir, tree.path, tree.at, context.newNonce());
  moveIntoTrash(session, names, context.newNonce());
}

/** Moves a worktree, and the session that it was made for, into the trash. Its caller has claimed that with a tombstone. */
export function putInTrash(
  context: ManagerContext,
  session: Session,
  { tree, verdict }: Pick<LookedAt, 'tree' | 'verdict'>,
  names: readonly string[],
): void {
  const { origin: _, ...recorded } = tree;
  // Beside where it was: on the same file system.
  const at = join(dirname(tree.path), '.trash', session.id);
  const record: TrashedRecord = {
    v: 1,
    names: [...names],
    tree: { ...recorded, at },
    reasons: [...verdict.reasons],
    at: isoTime(context.now()),
  };
  recordTrashed(session, record, context.newNonce());
  finishMove(context, session, record);
}

/** The only thing in the trash that an id, its beginning or a name means. @throws ZwarmError `not_found`, `ambiguous` */
export function findTrashed(store: Store | null, text: string): SessionId {
  const all = store === null ? [] : trashOf(store);
  const exact = all.find(({ id, name }) => id === text || name === text);
  if (exact !== undefined) return exact.id;
  const found = all.filter(({ id }) => text.length >= 4 && id.startsWith(text));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first.id;
  if (first !== undefined) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new ZwarmError(
      'ambiguous',
      `${text} is the beginning of ${found.length} ids`,
      `type more of: ${ids}`,
    );
  }
  const there = all.map(({ id, name }) => (name === null ? id : `${id} (${name})`)).join(', ');
  const hint = there === '' ? 'the trash is empty' : `in the trash: ${there}`;
  throw new ZwarmError('not_found', `nothing in the trash is ${text}`, hint);
}

/** What came back. */
export interface Restored {
  readonly id: SessionId;
  /** The name that it has again; null where it had none, or another session has it now. */
  readonly name: string | null;
  /** Where its worktree is again. */
  readonly path: string;
  readonly branch: string | null;
}

/** Brings back what is in the trash. @throws ZwarmError `not_found`, `name_taken` where something is in its place */
export function takeOutOfTrash(context: ManagerContext, session: Session): Restored {
  const { id, store } = session;
  const record = readTrashed(session);
  if (record === null) throw new ZwarmError('not_found', `nothing in the trash is ${id}`);
  const { tree, names } = record;
  if (existsSync(tree.at)) {
    if (existsSync(tree.path)) {
      const hint = `move that away; until then the files are in ${tree.at}`;
      throw new ZwarmError('name_taken', `there is something at ${tree.path}`, hint);
    }
    moveTree(tree.git_dir, tree.at, tree.path, context.newNonce());
  } else if (existsSync(tree.path)) moveTree(tree.git_dir, tree.path, tree.path, context.newNonce());
  const isThere = moveOutOfTrash(session);
  const taken = names.filter((name) => isThere && holderOf(store.root, name) === null);
  for (const name of taken) takeName(session, name);
  deleteTrashed(session, context.newNonce());
  return { id, name: taken.find((name) => !isKey(name)) ?? null, path: tree.path, branch: tree.branch };
}

/** Why something stays in the trash, in words; null once it is removed for good, but for commits that no other branch has. */
async function removeForGood(
  context: ManagerContext,
  session: Session,
  surroundings: Surroundings,
): Promise<string | null> {
  const { id } = session;
  const record = readTrashed(session);
  if (record === null) return null;
  const { at, path, common } = record.tree;
  const tree = { ...record.tree, path: existsSync(at) ? at : path, origin: null };
  if (!existsSync(common)) {
    // The repository is gone, and all commits with it.
    if (existsSync(at)) removeTree(at);
  } else {
    const { facts, verdict, occupiedBy } = await lookAtTree(context, tree, null, surroundings);
    if (facts === null && verdict.group === 'kept') return verdict.reasons.join('; ');
    if (occupiedBy !== null) return `a process stands in it (pid ${occupiedBy})`;
    if (facts !== null) {
      if (facts.foreign !== null) return facts.foreign;
      if (facts.ownCommits === null) return 'git could not be asked for its commits';
      await dropTree(context, id, { tree, facts });
    }
    await releasePin(context, session, common);
  }
  forget(session);
  deleteTrashed(session, context.newNonce());
  return null;
}

/** What became of the trash. */
export interface Emptied {
  readonly removed: readonly SessionId[];
  /** What stays, and why, in words. */
  readonly kept: readonly { readonly id: SessionId; readonly reason: string }[];
}

/** Removes for good what is in the trash: these, or what has been there long enough. */
export async function emptyTrash(
  context: ManagerContext,
  store: Store,
  ids: readonly SessionId[] | 'due',
): Promise<Emptied> {
  const nowMs = context.now();
  const due = trashOf(store).filter((one) => (ids === 'due' ? nowMs >= one.untilMs : ids.includes(one.id)));
  const removed: SessionId[] = [];
  const kept: { id: SessionId; reason: string }[] = [];
  if (due.length === 0) return { removed, kept };
  const surroundings = await lookAround(context, store);
  for (const { id } of due) {
    const reason = await removeForGood(context, { store, id }, surroundings).catch((error: unknown) => {
      if (error instanceof ZwarmError) return error.message;
      throw error;
    });
    if (reason === null) removed.push(id);
    else kept.push({ id, reason });
  }
  return { removed, kept };
}
