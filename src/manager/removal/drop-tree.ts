import { existsSync } from 'node:fs';
import type { SessionId } from '../../core/ids.ts';
import type { Git } from '../../git/git.ts';
import type { AskedFacts } from '../../git/risk.ts';
import { deleteBranch, dropWorktree, keepCommit, newBranch } from '../../git/worktree.ts';
import { removeTree } from '../../store/files.ts';
import type { ManagerContext } from '../context.ts';
import { gitOfTree, type Tree } from './look-at-tree.ts';

/** For how long what was removed and exists nowhere else is kept. */
export const TRASH_MS = 7 * 86_400_000;

const KEPT_COMMITS = 'refs/zwarm-kept/';

/** The reference that keeps a commit of a branch that goes, for as long as what is in the trash is kept. */
export const keptRef = (id: SessionId, nowMs: number): string =>
  `${KEPT_COMMITS}${id}.${Math.floor(nowMs / 1000)}`;

/**
 * Removes a worktree for good, with the branch that was made for it if that has no commits of its own, or others have all that
 * these changed. Commits on no branch get one first; those of a branch that goes are kept for a while, in case.
 * @throws ZwarmError `git_failed`, `io`
 */
export async function dropTree(
  context: ManagerContext,
  id: SessionId,
  { tree, facts }: { readonly tree: Tree; readonly facts: AskedFacts },
): Promise<void> {
  const git = gitOfTree(context, tree);
  const { head, branch, ownCommits, integratedIn } = facts;
  const isOnlyHere = ownCommits !== 0 && integratedIn === null;
  const own = `zwarm/${id}`;
  if (head !== null && branch === null && isOnlyHere)
    await newBranch(git, own === tree.branch ? `${own}-detached` : own, head);
  if (head !== null && ownCommits !== 0 && integratedIn !== null)
    await keepCommit(git, keptRef(id, context.now()), head);
  if (!(await dropWorktree(git, tree)) && existsSync(tree.path)) removeTree(tree.path);
  if (head !== null && branch !== null && branch === tree.branch && !isOnlyHere)
    await deleteBranch(git, branch, head);
}

/** Lets git forget the commits that were kept, once their time has come. */
export async function forgetCommits(git: Git, nowMs: number): Promise<void> {
  const { stdout } = await git(['for-each-ref', '--format=%(refname)', KEPT_COMMITS]);
  for (const ref of stdout.toString().split('\n')) {
    const [, seconds] = /\.(\d+)$/.exec(ref) ?? [];
    if (seconds !== undefined && nowMs - Number(seconds) * 1000 > TRASH_MS)
      await git(['update-ref', '-d', ref]);
  }
}
