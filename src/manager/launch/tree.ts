import { dirname } from 'node:path';
import { isErrno, toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isWithin } from '../../core/path.ts';
import { shellWord } from '../../core/shell-word.ts';
import { isoTime } from '../../core/time.ts';
import type { Git } from '../../git/git.ts';
import { submodulesOf } from '../../git/submodules.ts';
import {
  addWorktree,
  dropNewBranch,
  dropWorktree,
  isMadeFor,
  unlockWorktree,
  type Worktree,
} from '../../git/worktree.ts';
import { livenessOf, ownIdentity } from '../../process/identity.ts';
import { whereProcessesStand } from '../../process/standing.ts';
import { discardEmpty, makeDir, makeDirs } from '../../store/files.ts';
import { checkoutAt, gitStateOf, ownCheckoutAt } from '../../store/git.ts';
import { givePortsBack, takePorts } from '../../store/ports.ts';
import { lookAt } from '../../store/read-file.ts';
import { realPathOf } from '../../store/real-path.ts';
import type { OwnTree, SessionRecord } from '../../store/records.ts';
import { hasSession } from '../../store/sessions.ts';
import {
  forgetTree,
  type KnownTree,
  listTrees,
  recordNewTree,
  recordTree,
  recordUntouched,
} from '../../store/trees.ts';
import type { ManagerContext, Session, Store } from '../context.ts';
import { gitOf, PlaceTaken, type TreePlan } from './plan-tree.ts';
import { fill } from './tree-fill.ts';
import { agentReaching } from './untouched-trees.ts';

/** What the record of a session says of the tree in which it works. */
export type TreePlace = Pick<SessionRecord, 'worktree' | 'working_dir' | 'work_in' | 'git'>;

/** By what a worktree and its branch are known as those of a session. */
export const reasonFor = (id: SessionId): string => `zwarm session ${id}`;

/** git in a repository of which no checkout matters. */
const gitAt = (context: ManagerContext, common: string): Git =>
  gitOf(context, { checkout: null, gitDir: common, main: common });

/** Makes the directory of a worktree: that claims it. @throws PlaceTaken */
function claimPlace(path: string): void {
  makeDirs(dirname(path));
  try {
    makeDir(path);
  } catch (error) {
    throw isErrno(error, 'EEXIST') ? new PlaceTaken(path, error) : error;
  }
}

/** A worktree that is made, and what the user should know of it besides what was planned. */
interface MadeTree {
  readonly tree: Omit<OwnTree, 'port_base'>;
  readonly notes: readonly string[];
}

async function make(context: ManagerContext, git: Git, { id }: Session, plan: TreePlan): Promise<MadeTree> {
  const { path, branch, base, baseBranch, source, withChanges } = plan;
  const { checkout } = source;
  claimPlace(path);
  await addWorktree(git, plan, reasonFor(id));
  const made = ownCheckoutAt(path);
  if (made?.common !== source.common) throw new ZwarmError('git_failed', `git made no worktree in ${path}`);
  const { gitDir } = made;
  const notes: string[] = [];
  const submodules = await submodulesOf(git, base);
  if (submodules.length > 0) {
    const { fillSubmodules } = await import('./tree-submodules.ts');
    const from = { checkout, gitDirs: [source.gitDir, source.common] };
    notes.push(...(await fillSubmodules(context, { root: path, gitDir, submodules, from })));
    if (withChanges) notes.push(`not in it, of ${checkout}: what is changed in submodules`);
  }
  if (withChanges && checkout !== null) {
    const { bringChanges } = await import('./tree-changes.ts');
    const there = gitOf(context, { ...source, gitDir, checkout: path });
    await bringChanges({ git, root: checkout, gitDir: source.gitDir }, { ...made, git: there });
  }
  if (checkout !== null) await fill({ git, from: checkout, to: path }, plan.filling);
  const known = { path, git_dir: gitDir, branch, base };
  const tree = { ...known, base_branch: baseBranch, checkout, with_changes: withChanges };
  return { tree, notes };
}

/** Forgets a worktree, and gives its ports to others. */
export function forget(session: Session): void {
  givePortsBack(session.store.state, session.id);
  forgetTree(session);
}

/** Whether the `.git` file of a worktree is at a path whose git directory is gone, such as one that was just being made. */
const isTorn = (path: string): boolean =>
  (lookAt(`${path}/.git`)?.isFile() ?? false) && checkoutAt(path) === null;

/**
 * Takes back a worktree in which no agent has run, and forgets it; what somebody else has at its place stays.
 * @throws ZwarmError where something of it is left
 */
async function takeBack(git: Git, session: Session, tree: Worktree): Promise<void> {
  const { path } = tree;
  const reason = reasonFor(session.id);
  const isOurs = await isMadeFor(git, path, reason);
  if (!isOurs || !(await dropWorktree(git, tree))) {
    // One that was only begun: git removes what it knows of it once its directory is gone.
    discardEmpty(path);
    if (isOurs) await dropWorktree(git, tree);
    if (lookAt(path) !== null && (isOurs || isTorn(path)))
      throw new ZwarmError('git_failed', `${path} is still there, and git does not remove it`);
  }
  await dropNewBranch(git, tree, reason);
  forget(session);
}

/** Takes back a worktree whose session could not begin. @throws ZwarmError the same error, where something of it is left */
async function takeBackAfter(error: unknown, git: Git, session: Session, tree: Worktree): Promise<void> {
  // Somebody else's: nothing was made.
  if (error instanceof PlaceTaken) return forget(session);
  await takeBack(git, session, tree).catch((also: unknown) => {
    const { code, message } = toZwarmError(error);
    const what = `${message}; and its worktree could not be taken back: ${toZwarmError(also).message}`;
    throw new ZwarmError(code, what, `remove it: git worktree remove -f -f ${shellWord(tree.path)}`, error);
  });
}

/**
 * Makes the planned worktree and has `begin` begin the session in it. Where there is no session after that, nothing of the
 * worktree is left, but for a crash: then its record tells of it. `notes`: what the user should know. @throws ZwarmError
 */
export async function inTree<T>(
  context: ManagerContext,
  session: Session,
  plan: TreePlan,
  begin: (place: TreePlace) => Promise<T>,
): Promise<{ readonly begun: T; readonly notes: readonly string[] }> {
  const git = gitOf(context, plan.source);
  const { path, branch, base, source } = plan;
  const at = isoTime(context.now());
  recordNewTree(session, {
    v: 1,
    path,
    branch,
    base,
    common: source.common,
    claimer: ownIdentity(),
    at,
  });
  try {
    const planned = plan.notes();
    const made = await make(context, git, session, plan);
    const tree = { ...made.tree, port_base: takePorts(session.store.state, session.id) };
    if (plan.filling !== null && plan.filling.setup !== null && !plan.withChanges) {
      recordUntouched(session);
      const other = await agentReaching(context, session, path);
      if (other !== null)
        throw new ZwarmError(
          'busy',
          `the agent of ${other} could write in ${path} while it is made ready`,
          `wait for it first: zwarm wait ${other}`,
        );
    }
    recordTree(session);
    const place = { worktree: tree, working_dir: path, work_in: plan.workIn, git: gitStateOf(path) };
    return { begun: await begin(place), notes: [...(await planned), ...made.notes] };
  } catch (error) {
    if (!hasSession(session)) await takeBackAfter(error, git, session, plan);
    throw error;
  }
}

/** Gives the worktree of a session that is removed to the user; where it stays, or null where it had none of its own. */
export async function releaseTree(context: ManagerContext, session: Session): Promise<string | null> {
  const tree = listTrees(session.store.root).find(({ id }) => id === session.id);
  if (tree === undefined) return null;
  // First: whatever becomes of it from here on, zwarm has nothing to do with it.
  forget(session);
  if (lookAt(tree.path) === null) return null;
  await unlockWorktree(gitAt(context, tree.common), tree.path);
  return tree.path;
}

/** Takes back what commands that were killed had begun to make, as far as that can be done: `doctor` tells what is left. */
export async function takeBackUnmade(context: ManagerContext, store: Store): Promise<void> {
  const unmade = listTrees(store.root).filter((tree) => isUnmade({ store, id: tree.id }, tree));
  if (unmade.length === 0) return;
  const standing = await whereProcessesStand(context.env, realPathOf(context.cwd) ?? context.cwd);
  for (const tree of unmade) {
    // git goes on when the command that called it is killed, and could remove later what it finds there.
    if ([...standing.values()].some((where) => isWithin(where, tree.path))) continue;
    const session = { store, id: tree.id };
    await takeBack(gitAt(context, tree.common), session, tree).catch((error: unknown) => {
      if (!(error instanceof ZwarmError)) throw error;
    });
  }
}

/** Whether a worktree was only begun, by a command that was killed: no agent has run there. */
function isUnmade(session: Session, { isMade, claimer }: KnownTree): boolean {
  return !isMade && !hasSession(session) && livenessOf(claimer) === 'no';
}
