import { basename, dirname, join } from 'node:path';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import { type Filling, isInside } from '../../core/rules/filling.ts';
import type { Git } from '../../git/git.ts';
import { isTracked, untrackedLike } from '../../git/worktree.ts';
import { cloneTree } from '../../process/clone-tree.ts';
import { isRealDirectory, lookAt, unlessDamaged } from '../../store/read-file.ts';
import { bring, isReached, makeAbove } from './tree-changes.ts';

/** A list of patterns of files that git ignores and that a new worktree needs, as other tools read it, too. */
const INCLUDE = '.worktreeinclude';

/** From which checkout, asked by its git, to which worktree. */
interface FromTo {
  readonly git: Git;
  readonly from: string;
  readonly to: string;
}

function hasInclude(root: string): boolean {
  return unlessDamaged(() => lookAt(join(root, INCLUDE)))?.isFile() ?? false;
}

/** Copies the untracked files of a checkout that the project wants in its worktrees; what is there stays as it is. */
async function copyFiles({ git, from, to }: FromTo, patterns: readonly string[]): Promise<void> {
  const wanted = [
    ...(patterns.length === 0 ? [] : await untrackedLike(git, { patterns })),
    ...(hasInclude(from) ? await untrackedLike(git, { file: join(from, INCLUDE) }) : []),
  ];
  for (const path of wanted) bring(from, to, path);
}

/** Copies a directory that git does not know, without its blocks where the file system can. @throws ZwarmError `io` */
async function clone({ git, from, to }: FromTo, path: string): Promise<void> {
  const plain = Buffer.from(path.replace(/\/$/, ''));
  const source = join(from, path);
  if (!isInside(path) || !isReached(from, plain) || !isRealDirectory(source)) return;
  if (lookAt(join(to, path)) !== null || (await isTracked(git, path)) || !makeAbove(to, plain)) return;
  await cloneTree(source, join(to, dirname(path)), basename(path)).catch((error: unknown) => {
    throw new ZwarmError('io', `${source} could not be copied: ${toZwarmError(error).message}`, null, error);
  });
}

/** Fills a new worktree with what the project wants there. @throws ZwarmError `io`, `git_failed` */
export async function fill(place: FromTo, filling: Filling | null): Promise<void> {
  for (const path of filling?.clone ?? []) await clone(place, path);
  await copyFiles(place, filling?.copy ?? []);
}
