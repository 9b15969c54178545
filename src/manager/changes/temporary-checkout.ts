import type { Git } from '../../git/git.ts';
import { statesTreesDir } from '../../store/layout.ts';
import { type ManagerContext, stateDirectory } from '../context.ts';

/** Makes a checkout of a commit, detached, and removes it when `use` has ended. @throws ZwarmError `git_failed` */
export async function inTemporaryCheckout<T>(
  context: ManagerContext,
  git: Git,
  commit: string,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const path = `${statesTreesDir(stateDirectory(context))}/check-${context.newNonce()}`;
  await git(['worktree', 'add', '--quiet', '--detach', path, commit], { timeoutMs: 600_000 });
  try {
    return await use(path);
  } finally {
    await git(['worktree', 'remove', '--force', path]);
  }
}
