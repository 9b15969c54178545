import { join } from 'node:path';
import { copyRemote, fillSubmodule, submodulesOf } from '../../git/submodules.ts';
import { isGitDirectory } from '../../store/git.ts';
import type { ManagerContext } from '../context.ts';
import { gitOf } from './plan-tree.ts';

/** A checkout to be filled at a commit, and the git directories that have its submodules. */
interface Unfilled {
  readonly root: string;
  readonly gitDir: string;
  readonly commit: string;
  readonly sources: readonly string[];
}

/**
 * Fills the submodules of a new worktree from the repositories that the user has of them already, those within them too.
 * One that the user has not initialised stays empty. @throws ZwarmError `git_failed`
 */
export async function fillSubmodules(
  context: ManagerContext,
  { root, gitDir, commit, sources }: Unfilled,
): Promise<void> {
  const git = gitOf(context, { checkout: root, gitDir, main: root });
  for (const submodule of await submodulesOf(git, commit)) {
    const from = sources.map((source) => join(source, 'modules', submodule.name)).find(isGitDirectory);
    if (from === undefined) continue;
    await fillSubmodule(git, submodule, from);
    const own = join(gitDir, 'modules', submodule.name);
    await copyRemote(gitOf(context, { checkout: null, gitDir: own, main: own }), from);
    const below = { root: join(root, submodule.path), gitDir: own, commit: 'HEAD', sources: [from] };
    await fillSubmodules(context, below);
  }
}
