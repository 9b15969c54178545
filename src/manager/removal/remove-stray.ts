import type { SessionId } from '../../core/ids.ts';
import type { ManagerContext, Session, Store } from '../context.ts';
import { forget } from '../launch/tree.ts';
import { dropBranch } from './branches.ts';
import { dropTree } from './drop-tree.ts';
import { lookAround, lookAtTree, type Tree } from './look-at-tree.ts';
import type { Judged } from './plan.ts';
import { putInTrash } from './trash.ts';

/** What became of it; the id under which it is in the trash. */
type Done = 'kept' | 'removed' | SessionId;

/** Looks at a tree once more, and removes it or moves it into the trash as was planned; or says that it stays. */
async function removeTree(
  context: ManagerContext,
  session: Session,
  tree: Tree,
  planned: Judged['group'],
): Promise<Done> {
  const looked = await lookAtTree(context, tree, null, await lookAround(context, session.store));
  const { group } = looked.verdict;
  if (group === 'kept' || (group === 'saved_first' && planned === 'safe')) return 'kept';
  if (group === 'saved_first') {
    putInTrash(context, session, looked, []);
    return session.id;
  }
  if (looked.facts !== null) await dropTree(context, session.id, { tree, facts: looked.facts });
  forget(session);
  return 'removed';
}

/** Removes a tree or a branch that belongs to no session, if it may still be. @throws ZwarmError `git_failed`, `io` */
export async function removeStray(
  context: ManagerContext,
  store: Store,
  common: string,
  { group, item, tree }: Judged,
): Promise<Done> {
  const { id, branch } = item;
  if (tree !== undefined) return removeTree(context, { store, id: id ?? context.newId() }, tree, group);
  if (branch === null || id === null) return 'kept';
  return (await dropBranch(context, store, common, { branch, id })) ? 'removed' : 'kept';
}
