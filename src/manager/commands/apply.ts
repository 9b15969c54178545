import { type ChangeCount, type ChangedFile, countOf } from '../../core/changes.ts';
import { usageError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { textOfPath } from '../../core/raw-path.ts';
import { compareTrees } from '../../git/compare.ts';
import { borrowing, takeOutBelow, writeTree } from '../../git/files.ts';
import { withVariables } from '../../git/git.ts';
import { submodulePaths } from '../../git/land.ts';
import { mergeTrees } from '../../git/merge.ts';
import { discard } from '../../store/files.ts';
import { gitStateOf, ownCheckoutAt } from '../../store/git.ts';
import { listTurns, readSnapshot } from '../../store/sessions.ts';
import { recordTouchedAt } from '../../store/trees.ts';
import { requireUser } from '../access/caller.ts';
import { conflictError, inTheWay, leaveOut, moveBetween } from '../changes/move-files.ts';
import { gitOver, type Place, placeOf } from '../changes/place.ts';
import { isMade } from '../changes/spans.ts';
import { takeFreshFiles } from '../changes/take-snapshot.ts';
import { type Gits, gitsOf, landedBase, requireMerged, treeNow } from '../changes/tree-now.ts';
import { viewOfChange } from '../changes/view-of-change.ts';
import type { ManagerContext, Session } from '../context.ts';
import { requireOwnTree, type TreeRecord } from '../session/own-tree.ts';

/** How to apply what a session changed. */
export interface ApplyOptions {
  /** Only say what would be done. */
  readonly dryRun?: boolean | undefined;
}

/** Files that were changed in a checkout: the JSON contract of `docs/formats.md`. */
export interface Applied extends ChangeCount {
  readonly id: SessionId;
  /** The root of the checkout. */
  readonly into: string;
  /** Files whose content no snapshot holds: what the session did to them stays in its tree. */
  readonly left_out: readonly string[];
  readonly changed_files: readonly ChangedFile[];
}

/** The checkout in which the caller stands, with its commit. */
type Here = Place & { readonly head: string };

/** @throws ZwarmError `usage` where that is not another checkout of the same repository */
function callersCheckout(context: ManagerContext, { id }: Session, own: Place): Here {
  const state = gitStateOf(context.cwd);
  const user = state === null ? null : ownCheckoutAt(state.root);
  if (state === null || user === null || user.common !== own.user?.common)
    throw usageError(
      `${context.cwd} is not in a checkout of the repository of ${id}`,
      'run it in one, or name one: --project DIR',
    );
  const { root, head } = state;
  if (root === own.root) throw usageError(`this is the tree of ${id} itself`, 'run it in another checkout');
  if (head === null) throw usageError(`${root} has no commit`, 'commit something there');
  return { ...own, root, user, head };
}

/** The tree from which both sides began: what the session did since is what is applied. @throws ZwarmError `git_failed` */
async function whereItBegan(
  session: Session,
  { worktree, forked_from }: TreeRecord,
  { making }: Gits,
  heads: readonly [here: string, tree: string],
): Promise<string> {
  const { code, stdout } = await making(['merge-base', ...heads], { codes: [1] });
  if (code !== 0) throw new ZwarmError('git_failed', 'this checkout and the tree have no commit in common');
  const shared = stdout.toString().trim();
  const first = readSnapshot({ ...session, turn: listTurns(session)[0] ?? 1 }, 'before');
  // Its tree may have begun with what was not committed here. Later it may have taken in commits from here.
  const began = shared === worktree.base && forked_from === null && isMade(first);
  return began ? first.tree : `${shared}^{tree}`;
}

/**
 * Makes what a session changed in its own tree, as it is now, in the files of the caller's checkout, by a three-way merge; the
 * index and the commits there stay as they are. @throws ZwarmError `conflict` with the names of the files where both changed
 * the same: nothing has moved then; `no_tree`, `busy`, `usage`, …
 */
export async function apply(
  context: ManagerContext,
  session: Session,
  { dryRun = false }: ApplyOptions = {},
): Promise<Applied> {
  requireUser(context);
  const record = await requireOwnTree(context, session);
  const place = placeOf(context, session, record);
  const gits = gitsOf(context, place);
  const here = callersCheckout(context, session, place);
  const now = await treeNow(context, session, place);
  await requireMerged(session, gits, now.tree);
  const base =
    (await landedBase(session, gits, here.head)) ??
    (await whereItBegan(session, record, gits, [here.head, now.head]));
  const submodules = await Promise.all([now.head, here.head].map((one) => submodulePaths(gits.plain, one)));
  const without = [...submodules.flat(), ...now.leftOut];
  const [from, theirs] = await leaveOut(context, place, [base, now.tree], without);
  const { index } = await takeFreshFiles(context, here);
  try {
    await takeOutBelow(index, submodules.flat());
    const ours = await writeTree(index);
    const { alternates } = place;
    const git = gitOver(context, place, null);
    const merged = await mergeTrees(withVariables(git, borrowing(alternates)), from, ours, theirs);
    const merge = `commit what is here, and have its agent merge them: zwarm land ${session.id} --ask`;
    if (merged.conflicts.length > 0)
      throw conflictError(merged.conflicts, 'changed here in the same place', merge);
    const { changes } = await compareTrees({ git, alternates, from: ours, to: merged.tree });
    const blocked = inTheWay(here, changes);
    if (blocked.length > 0) throw conflictError(blocked, 'is there, which git ignores or was not kept');
    if (!dryRun && changes.length > 0) {
      recordTouchedAt(session.store.root, here.root);
      await moveBetween(context, here, index.path, [ours, merged.tree]);
    }
    return {
      id: session.id,
      into: here.root,
      left_out: now.leftOut.map(textOfPath),
      ...countOf(changes),
      changed_files: changes.map((change) => viewOfChange(change, false)),
    };
  } finally {
    discard(index.path);
  }
}
