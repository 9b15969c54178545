import { lstatSync } from 'node:fs';
import type { FileChange } from '../../core/changes.ts';
import { ZwarmError } from '../../core/errors.ts';
import { type RawPath, textOfPath } from '../../core/raw-path.ts';
import { compareTrees, keepObjects } from '../../git/compare.ts';
import { treeWithout } from '../../git/files.ts';
import { gitIn } from '../../git/git.ts';
import { moveFiles } from '../../git/merge.ts';
import { type TreeChange, takeBack } from '../../git/take-back.ts';
import { discard } from '../../store/files.ts';
import { BUILDING_PREFIX } from '../../store/layout.ts';
import { hasObject, lastIndex, workingIndex } from '../../store/snapshots.ts';
import type { ManagerContext, Session } from '../context.ts';
import { gitOver, type Place } from './place.ts';
import { takeFiles } from './take-snapshot.ts';

/** Files that can be moved. */
export interface Move {
  /** The trees of the files as they are now, and as they will be. */
  readonly saved: string;
  readonly result: string;
  /** What will change. */
  readonly changes: readonly FileChange[];
  /** Moves them. @throws ZwarmError `conflict` where a file has changed meanwhile: nothing has moved then */
  apply(): Promise<void>;
}

const MOST_NAMED = 10;
const PUT_BACK = 'look at them, save what you need of them, put them back as they were, and try again';

/** The error that names files which keep others from being moved, and why they do. */
export function conflictError(paths: readonly RawPath[], why: string, hint = PUT_BACK): ZwarmError {
  const names = paths.slice(0, MOST_NAMED).map(textOfPath).join(', ');
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  return new ZwarmError('conflict', `nothing was moved: ${names}${more} ${why}`, hint);
}

/** Files that are to be made where something is already that no snapshot knows, such as one that git ignores. */
export function inTheWay({ root }: Place, changes: readonly FileChange[]): readonly RawPath[] {
  const isThere = (path: RawPath): boolean => {
    const at = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
    return lstatSync(at, { throwIfNoEntry: false }) !== undefined;
  };
  return changes.flatMap(({ kind, path }) => (kind === 'added' && isThere(path) ? [path] : []));
}

/** Two trees without some of their files. */
export async function leaveOut(
  context: ManagerContext,
  place: Place,
  [one, other]: readonly [string, string],
  paths: readonly RawPath[],
): Promise<readonly [string, string]> {
  const path = `${place.snapshots}/${BUILDING_PREFIX}${context.newNonce()}`;
  const index = { git: gitOver(context, place, null), path, alternates: place.alternates };
  try {
    return [await treeWithout(index, one, paths), await treeWithout(index, other, paths)];
  } finally {
    discard(path);
  }
}

/** Takes changes out of a tree, the last one first. @throws ZwarmError `conflict` */
async function takeAllBack(
  context: ManagerContext,
  place: Place,
  tree: string,
  lastFirst: readonly TreeChange[],
): Promise<string> {
  const path = `${place.snapshots}/${BUILDING_PREFIX}${context.newNonce()}`;
  const index = { git: gitOver(context, place, null), path, alternates: place.alternates };
  let result = tree;
  try {
    for (const change of lastFirst) {
      const found = await takeBack(index, result, change);
      if ('conflicts' in found)
        throw conflictError(found.conflicts, 'changed since, in the same place as what would be undone');
      result = found.tree;
    }
    return result;
  } finally {
    discard(path);
  }
}

/**
 * Plans how changes are taken out of the files as they are now, the last one first: each by a three-way merge, so that what was
 * edited later stays. The files as they are now are saved first. @throws ZwarmError `conflict` with the names of the files where both changed the same
 */
export async function planUndo(
  context: ManagerContext,
  session: Session,
  place: Place,
  lastFirst: readonly TreeChange[],
): Promise<Move> {
  const { tree: saved } = await (await takeFiles(context, session, place)).finish();
  const { alternates, snapshots } = place;
  const git = gitOver(context, place, null);
  const result = await takeAllBack(context, place, saved, lastFirst);
  const [since, move] = await Promise.all([
    compareTrees({ git, alternates, from: lastFirst[0]?.after ?? saved, to: saved }),
    compareTrees({ git, alternates, from: saved, to: result }),
  ]);
  await keepObjects({ git, alternates }, [...since.objects, ...move.objects], {
    isOurs: (object) => hasObject(snapshots, object),
    packs: `${snapshots}/objects/pack/pack`,
  });
  const blocked = inTheWay(place, move.changes);
  if (blocked.length > 0) throw conflictError(blocked, 'is there, which git ignores or was not kept');
  return {
    saved,
    result,
    changes: move.changes,
    apply: () => applyMove(context, place, saved, result),
  };
}

async function applyMove(context: ManagerContext, place: Place, from: string, to: string): Promise<void> {
  if (from === to) return;
  const { snapshots } = place;
  const last = lastIndex(snapshots);
  if (last?.tree !== from)
    throw new ZwarmError('lost_race', 'another command looks at the same files', 'try again');
  const path = workingIndex(snapshots, last.path, context.newNonce());
  try {
    await moveBetween(context, place, path, [from, to]);
  } finally {
    discard(path);
  }
}

/**
 * Moves the files of a checkout, which an index of ours has as they are, from one tree to another.
 * @throws ZwarmError `conflict` where a file has changed meanwhile: nothing has moved then
 */
export async function moveBetween(
  { env }: ManagerContext,
  { snapshots, alternates, root, program }: Place,
  path: string,
  [from, to]: readonly [string, string],
): Promise<void> {
  try {
    // With the user's own umask, as these files are the user's: so the index is not one to be kept.
    const git = gitIn({ gitDir: snapshots, workTree: root }, program, env);
    await moveFiles({ git, path, alternates }, from, to);
  } catch (error) {
    if (!(error instanceof ZwarmError)) throw error;
    const [, name = ''] = /'(.*)' (?:not uptodate|would be)/.exec(error.message) ?? [];
    throw name === '' ? error : conflictError([name], 'changed just now');
  }
}
