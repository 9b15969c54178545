import type { RawPath } from '../../core/raw-path.ts';
import { isoTime } from '../../core/time.ts';
import { compareTrees } from '../../git/compare.ts';
import { takeOutBelow } from '../../git/files.ts';
import { commitOf, mergeIntoWork, submodulePaths, treeOf, withMarkers } from '../../git/land.ts';
import { discard } from '../../store/files.ts';
import { writeLanded } from '../../store/landed.ts';
import { lastIndex, workingIndex } from '../../store/snapshots.ts';
import type { ManagerContext, Session } from '../context.ts';
import { conflictError, inTheWay, leaveOut, moveBetween } from './move-files.ts';
import { gitOver, type Place } from './place.ts';
import { type Gits, landedBase, ofKnownFiles, type TreeNow } from './tree-now.ts';

/** Moves the files of a session's tree, but for those at and below some paths. */
async function moveTree(
  context: ManagerContext,
  place: Place,
  trees: readonly [from: string, to: string],
  { submodules, leftOut }: { readonly submodules: readonly RawPath[]; readonly leftOut: readonly RawPath[] },
): Promise<void> {
  const { snapshots, alternates, root } = place;
  const last = lastIndex(snapshots);
  if (last === null) throw new Error('the tree was just looked at');
  const pair = await leaveOut(context, place, trees, [...submodules, ...leftOut]);
  const git = gitOver(context, place, null);
  const { changes } = await compareTrees({ git, alternates, from: pair[0], to: pair[1] });
  const blocked = inTheWay(place, changes);
  if (blocked.length > 0) throw conflictError(blocked, 'is there, which git ignores or was not kept');
  const path = workingIndex(snapshots, last.path, context.newNonce());
  try {
    await takeOutBelow({ git: gitOver(context, place, root), path, alternates }, submodules);
    await moveBetween(context, place, path, pair);
  } finally {
    discard(path);
  }
}

/** What a merge of a branch into a tree has left to somebody. */
export interface LeftToMerge {
  readonly files: readonly RawPath[];
  /** Those of them in which there are no markers. */
  readonly unmarked: readonly RawPath[];
}

/**
 * Merges a branch into the files of a session's tree, and records that these have it; null where the merge leaves nothing to
 * anybody: then nothing has changed. @throws ZwarmError `conflict` where a file is in the way: then neither
 */
export async function mergeIntoTree(
  context: ManagerContext,
  session: Session,
  onto: string,
  { place, gits, work }: { readonly place: Place; readonly gits: Gits; readonly work: TreeNow },
): Promise<LeftToMerge | null> {
  const { making } = gits;
  const from = await commitOf(making, onto);
  const base = await landedBase(session, gits, from);
  const { tree, conflicts: files } = await mergeIntoWork(making, from, { ...work, base });
  if (files.length === 0) return null;
  const { leftOut } = work;
  const submodules = await submodulePaths(making, work.head);
  await moveTree(context, place, [work.tree, tree], { submodules, leftOut });
  // Not before: of a tree that does not have what the branch has, the next landing would take that back.
  const known = await ofKnownFiles(context, place, making, { ...work, tree: await treeOf(making, from) });
  const at = isoTime(context.now());
  const asked = { v: 1 as const, onto, commit: from, tree: known, done: true, asked: [...files], at };
  writeLanded(session, asked, context.newNonce());
  const marked = await withMarkers(making, tree, files);
  return { files, unmarked: files.filter((one) => !marked.includes(one)) };
}
