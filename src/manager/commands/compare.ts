import type { Checked } from '../../core/compared.ts';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import { listOf } from '../../git/files.ts';
import { gitIn } from '../../git/git.ts';
import { moveFiles } from '../../git/merge.ts';
import { discard } from '../../store/files.ts';
import { ownCheckoutAt } from '../../store/git.ts';
import { BUILDING_PREFIX } from '../../store/layout.ts';
import { requireUser } from '../access/caller.ts';
import { type Place, placeOf } from '../changes/place.ts';
import { inTemporaryCheckout } from '../changes/temporary-checkout.ts';
import { gitsOf, ofKnownFiles, treeNow } from '../changes/tree-now.ts';
import type { ManagerContext, Session } from '../context.ts';
import { requireOwnTree } from '../session/own-tree.ts';

/** Puts the files of a tree into a checkout of a commit, as edits that nobody has committed. */
async function fill(
  { env, newNonce }: ManagerContext,
  { snapshots, program }: Place,
  directory: string,
  [commit, tree]: readonly [string, string],
): Promise<void> {
  const own = ownCheckoutAt(directory);
  if (own === null) throw new ZwarmError('git_failed', `${directory} is gone`);
  const git = gitIn({ gitDir: own.gitDir, workTree: directory }, program, env);
  const path = `${snapshots}/${BUILDING_PREFIX}${newNonce()}`;
  try {
    await git(['read-tree', commit], { env: { GIT_INDEX_FILE: path } });
    await moveFiles({ git, path, alternates: listOf([`${snapshots}/objects`]) }, commit, tree);
  } finally {
    discard(path);
  }
}

/**
 * Has somebody look at the files of a session's own tree as they are now, in a checkout of their own that is removed again;
 * a session that has none, or runs, cannot be checked. @throws ZwarmError `not_allowed`
 */
export async function checkTree(
  context: ManagerContext,
  session: Session,
  check: (directory: string) => Promise<boolean>,
): Promise<Checked> {
  requireUser(context);
  try {
    const place = placeOf(context, session, await requireOwnTree(context, session));
    const { making, plain } = gitsOf(context, place);
    const now = await treeNow(context, session, place);
    const tree = await ofKnownFiles(context, place, making, now);
    const passed = await inTemporaryCheckout(context, plain, now.head, async (directory) => {
      await fill(context, place, directory, [now.head, tree]);
      return check(directory);
    });
    return { passed, why: null };
  } catch (error) {
    return { passed: null, why: toZwarmError(error).message };
  }
}
