import { join } from 'node:path';
import { isSessionId, type SessionId } from '../../core/ids.ts';
import { type AskedFacts, askBranch } from '../../git/risk.ts';
import { deleteBranch, keepCommit } from '../../git/worktree.ts';
import { readText, unlessDamaged } from '../../store/read-file.ts';
import { hasSession } from '../../store/sessions.ts';
import { readTrashed } from '../../store/trash.ts';
import { knownTree } from '../../store/trees.ts';
import type { ManagerContext, Store } from '../context.ts';
import { reasonFor } from '../launch/tree.ts';
import { keptRef } from './drop-tree.ts';
import { gitOfTree, mainBranch } from './look-at-tree.ts';
import type { Judged } from './plan.ts';

/** The session for which a branch was made, by the first entry of its log; null for one that somebody else made. */
function madeFor(common: string, branch: string): SessionId | null {
  const log = unlessDamaged(() => readText(join(common, 'logs/refs/heads', branch)));
  const [, words = ''] = log?.split('\n', 1)[0]?.split('\t') ?? [];
  const id = words.split(' ').at(-1) ?? '';
  return isSessionId(id) && words === reasonFor(id) ? id : null;
}

/** Whether nothing is left of a session but perhaps its branch. */
const isGone = (store: Store, id: SessionId): boolean => {
  const session = { store, id };
  const isTrashed = unlessDamaged(() => readTrashed(session)) !== null;
  return !isTrashed && !hasSession(session) && knownTree(session) === null;
};

/** The branches below `zwarm/` that were made for sessions which are gone, and that nobody has checked out. */
export async function strayBranches(
  context: ManagerContext,
  store: Store,
  common: string,
): Promise<readonly Judged[]> {
  const git = gitOfTree(context, { common, path: common });
  const format = '--format=%(refname:lstrip=2)%00%(worktreepath)';
  const { stdout } = await git(['for-each-ref', format, 'refs/heads/zwarm/']);
  const found: Judged[] = [];
  for (const line of stdout.toString().split('\n')) {
    const [branch = '', checkout = ''] = line.split('\0');
    const id = branch === '' || checkout !== '' ? null : madeFor(common, branch);
    if (id === null || !isGone(store, id)) continue;
    const facts = await askBranch(git, { branch, target: mainBranch(store) });
    found.push({ group: isElsewhere(facts) ? 'safe' : 'kept', item: itemOf(id, branch, facts) });
  }
  return found;
}

const isElsewhere = ({
  ownCommits,
  integratedIn,
}: Pick<AskedFacts, 'ownCommits' | 'integratedIn'>): boolean => ownCommits === 0 || integratedIn !== null;

function itemOf(id: SessionId, branch: string, facts: Pick<AskedFacts, 'ownCommits' | 'integratedIn'>) {
  const { ownCommits: count } = facts;
  const reasons = isElsewhere(facts) ? [] : [`${count} commit${count === 1 ? '' : 's'} only on it`];
  return { kind: 'branch', id, name: null, path: null, branch, bytes: 0, reasons, ignored: [] } as const;
}

/** Deletes such a branch, unless it has commits of its own by now; whether it has. @throws ZwarmError `git_failed` */
export async function dropBranch(
  context: ManagerContext,
  store: Store,
  common: string,
  { branch, id }: { readonly branch: string; readonly id: SessionId },
): Promise<boolean> {
  const git = gitOfTree(context, { common, path: common });
  const facts = await askBranch(git, { branch, target: mainBranch(store) });
  const { head, ownCommits } = facts;
  if (head === null || !isElsewhere(facts)) return false;
  if (ownCommits !== 0) await keepCommit(git, keptRef(id, context.now()), head);
  return deleteBranch(git, branch, head);
}
