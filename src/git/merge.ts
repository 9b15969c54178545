import type { RawPath } from '../core/raw-path.ts';
import { borrowing, entriesOf, type Index } from './files.ts';
import type { Git } from './git.ts';

/** What three trees came to. */
export interface Merged {
  readonly tree: string;
  /** What both sides changed otherwise: the tree has these files with both, between markers, as far as they are text. */
  readonly conflicts: readonly RawPath[];
}

/** For commits that nobody sees: always the same, whoever runs it. */
const NOBODY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'zwarm'],
    [`GIT_${who}_EMAIL`, 'zwarm@localhost'],
    [`GIT_${who}_DATE`, '2000-01-01T00:00:00Z'],
  ]),
);

/** A commit of a tree that says nothing of its own. */
async function bareCommit(git: Git, tree: string, ...parents: readonly string[]): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
  return (await git(args, { input: 'zwarm\n', env: NOBODY })).stdout.toString().trim();
}

/**
 * Merges two trees that were both made from `base`, file by file and line by line, without a checkout. Trees are named by
 * their hashes, or as `COMMIT^{tree}`. Git 2.39 takes commits alone, and finds their base itself. @throws ZwarmError `git_failed`
 */
export async function mergeTrees(git: Git, base: string, ours: string, theirs: string): Promise<Merged> {
  const root = await bareCommit(git, base);
  const [one, other] = [await bareCommit(git, ours, root), await bareCommit(git, theirs, root)];
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', one, other];
  const { stdout } = await git(args, { codes: [1] });
  const [tree = '', ...conflicts] = entriesOf(stdout).filter((entry) => entry !== '');
  return { tree, conflicts: [...new Set(conflicts)] };
}

/**
 * Moves the files of a directory, which are those of an index and of the tree `from`, to those of the tree `to`. A file that
 * has changed meanwhile stops it before anything has moved. @throws ZwarmError `git_failed`
 */
export async function moveFiles(index: Index, from: string, to: string): Promise<void> {
  const env = { GIT_INDEX_FILE: index.path, ...borrowing(index.alternates) };
  // A sparse checkout would have it remove every file that is there outside of its patterns.
  const all = ['-c', 'core.sparseCheckout=false'];
  // A file that was written anew as it was has not changed.
  await index.git([...all, 'update-index', '-q', '--refresh'], { env });
  await index.git([...all, 'read-tree', '-u', '-m', from, to], { env });
}
