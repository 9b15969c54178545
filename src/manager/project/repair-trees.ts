import { findGit, gitIn } from '../../git/git.ts';
import { repairWorktrees } from '../../git/worktree.ts';
import { ownCheckoutAt } from '../../store/git.ts';
import { lookAt } from '../../store/read-file.ts';
import { listTrees } from '../../store/trees.ts';
import type { ManagerContext } from '../context.ts';

/**
 * Connects the worktrees of a store with their repository, which was moved to `common`; the paths of those that are not
 * connected afterwards.
 * @throws ZwarmError `git_failed`, `program_unsafe`
 */
export async function repairTrees(
  { env }: ManagerContext,
  root: string,
  common: string,
): Promise<readonly string[]> {
  const paths = listTrees(root).flatMap(({ path, isMade }) =>
    isMade && lookAt(path) !== null ? [path] : [],
  );
  if (paths.length === 0) return [];
  // git writes in what a link leads to, which an agent may have put there.
  const isSafe = paths.every((path) => lookAt(`${path}/.git`)?.isFile() ?? true);
  if (isSafe) await repairWorktrees(gitIn({ gitDir: common, workTree: null }, findGit(env, paths), env));
  return paths.filter((path) => ownCheckoutAt(path)?.common !== common);
}
