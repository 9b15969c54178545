import { join } from 'node:path';
import { toZwarmError } from '../../core/errors.ts';
import { copyRemote, fillSubmodule, type Submodule, submodulesOf } from '../../git/submodules.ts';
import { discard, removeEntry } from '../../store/files.ts';
import { checkoutAt, isGitDirectory } from '../../store/git.ts';
import type { ManagerContext } from '../context.ts';
import { gitOf } from './plan-tree.ts';

/** A checkout whose submodules are to be filled. */
interface Unfilled {
  readonly root: string;
  readonly gitDir: string;
  readonly submodules: readonly Submodule[];
  /** What the user has of them: the checkout, or null, and the git directories in which their repositories may be. */
  readonly from: { readonly checkout: string | null; readonly gitDirs: readonly string[] };
}

/**
 * Fills the submodules of a new worktree from the repositories that the user has of them already, those within them too.
 * One that the user has not initialised stays empty. Returns which others do, and why, in words. @throws ZwarmError `git_failed`
 */
export async function fillSubmodules(
  context: ManagerContext,
  { root, gitDir, submodules, from }: Unfilled,
): Promise<readonly string[]> {
  const git = gitOf(context, { checkout: root, gitDir, main: root });
  const empty: string[] = [];
  for (const submodule of submodules) {
    const { name, path } = submodule;
    const staysEmpty = (why: string) => empty.push(`${join(root, path)} stays empty: ${why}`);
    const theirs = from.checkout && join(from.checkout, path);
    const lender = from.gitDirs.map((one) => join(one, 'modules', name)).find(isGitDirectory);
    if (lender === undefined) {
      const isInPlace = theirs !== null && isGitDirectory(`${theirs}/.git`);
      if (isInPlace) staysEmpty(`the repository of ${theirs} lies in it; see: git submodule absorbgitdirs`);
      continue;
    }
    const [filled, own] = [join(root, path), join(gitDir, 'modules', name)];
    try {
      await fillSubmodule(git, submodule, lender);
    } catch (error) {
      staysEmpty(toZwarmError(error).message);
      // As git leaves it, on another commit and without files, all of them would count as deleted.
      if (checkoutAt(filled)?.gitDir === own) removeEntry(`${filled}/.git`);
      discard(own);
      continue;
    }
    const itsGit = gitOf(context, { checkout: null, gitDir: own, main: own });
    await copyRemote(itsGit, lender);
    const below = {
      ...{ root: filled, gitDir: own, submodules: await submodulesOf(itsGit, 'HEAD') },
      from: { checkout: theirs, gitDirs: [lender] },
    };
    empty.push(...(await fillSubmodules(context, below)));
  }
  return empty;
}
