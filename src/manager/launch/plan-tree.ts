import { join, relative } from 'node:path';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import type { Filling } from '../../core/rules/filling.ts';
import type { Settings } from '../../core/rules/policy.ts';
import { findGit, type Git, gitIn } from '../../git/git.ts';
import {
  commitOf,
  countChanges,
  programInCheckouts,
  requireNewBranch,
  type Worktree,
} from '../../git/worktree.ts';
import { lookAt } from '../../store/read-file.ts';
import type { SessionRecord } from '../../store/records.ts';
import { callerOf, isUsers } from '../access/caller.ts';
import { requireOutOfReach, writableBy } from '../access/reach.ts';
import type { ManagerContext } from '../context.ts';
import type { NextTurn } from './continuation.ts';
import { placeOfTrees, type Source, sourceAround } from './tree-place.ts';

/** What a tree of its own is to be; everything left out has a default. */
export interface TreeOptions {
  /** The name of its branch. */
  readonly branch?: string | undefined;
  /** A revision; else the commit of the checkout around the session's directory. */
  readonly base?: string | undefined;
  /** Whether what differs in that checkout from its commit comes along. */
  readonly withChanges?: boolean | undefined;
}

/** The same with its name, and the directory for the trees of all projects, if the user has named one. */
export type AskedTree = TreeOptions & { readonly name: string } & Pick<Settings, 'worktreeDir'>;

/** The turn that is to run there, as it would be in the checkout. */
export interface TreeTurn extends Pick<NextTurn, 'adapter' | 'confiner'> {
  readonly record: Pick<SessionRecord, 'working_dir' | 'work_in' | 'sandbox' | 'agent_args'>;
}

/** A worktree that can be made: nothing is written yet. */
export interface TreePlan extends Worktree {
  readonly source: Source;
  readonly baseBranch: string | null;
  readonly withChanges: boolean;
  /** What the project wants in it. */
  readonly filling: Filling | null;
  /** The directory in it that the agent is told to work in, or null. */
  readonly workIn: string | null;
  /**
   * What the user should know: which base was taken, and what of the checkout is in it or is not. git looks at every file for
   * that, meanwhile it can make the tree. It never rejects.
   */
  readonly notes: () => Promise<readonly string[]>;
}

/** Something is already where a worktree was to be made. */
export class PlaceTaken extends ZwarmError {
  constructor(path: string, cause?: unknown) {
    const hint = 'choose another --name, or remove it if nobody needs it';
    super('name_taken', `there is already something at ${path}`, hint, cause);
  }
}

/** git in a checkout of a repository, or where there is none, in the repository itself. */
export function gitOf(
  { env }: ManagerContext,
  { gitDir, checkout, main }: Omit<Source, 'around' | 'common'>,
): Git {
  const program = findGit(env, checkout === null ? [main] : [main, checkout]);
  return gitIn({ gitDir, workTree: checkout }, program, env);
}

/** How many files of a checkout differ from its commit, in words; null where none does. */
function changeWords({ changed, untracked }: { changed: number; untracked: number }): string | null {
  const files = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}`]);
  const words = [...files(changed, 'changed'), ...files(untracked, 'untracked')].join(' and ');
  return words === '' ? null : `${words} ${changed + untracked === 1 ? 'file' : 'files'}`;
}

/** What of a checkout is in a tree or is not, in words; none where nothing differs from its commit. It never rejects. */
async function tellChanges(git: Git, { checkout }: Source, isWith: boolean): Promise<readonly string[]> {
  if (checkout === null) return [];
  try {
    const words = changeWords(await countChanges(git));
    return words === null ? [] : [`${isWith ? 'with' : 'not in it'}, of ${checkout}: ${words}`];
  } catch (error) {
    return [`what is changed in ${checkout} could not be counted: ${toZwarmError(error).message}`];
  }
}

async function baseOf(git: Git, revision: string, where: string) {
  const found = await commitOf(git, revision);
  if (found !== null) return found;
  if (revision === 'HEAD') {
    const hint = 'make one first: git commit --allow-empty';
    throw new ZwarmError('usage', `${where} has no commit yet`, hint);
  }
  const what = `${JSON.stringify(revision)} is not a commit in ${where}`;
  throw new ZwarmError('usage', what, 'name a branch, a tag or a commit: --base main');
}

/**
 * What the configuration of a repository names, a checkout runs, outside of any sandbox: refuses one that agents may have
 * written. @throws ZwarmError `not_allowed`
 */
async function requireHarmless(context: ManagerContext, git: Git, { around, main }: Source): Promise<void> {
  if (around === null) return;
  const named = isUsers(callerOf(context).source) ? await programInCheckouts(git) : 'its configuration';
  if (named === null) return;
  const what = `${main} lies in ${around}, where an agent could have written ${named}, which git would obey`;
  throw new ZwarmError('not_allowed', what, 'move the repository out of there, or start without -W');
}

/** Refuses changes of a checkout where the tree begins at another commit than that. @throws ZwarmError `usage` */
async function requireSameCommit(git: Git, { checkout }: Source, base: string): Promise<void> {
  const head = checkout === null ? null : await commitOf(git, 'HEAD');
  if (head?.base === base) return;
  const what =
    checkout === null
      ? 'a bare repository has no changes that could come along'
      : `what is changed in ${checkout} is changed from another commit`;
  throw new ZwarmError('usage', what, 'leave --with-changes or --base out');
}

/** What the project wants in its worktrees, by the file in its main checkout, or where there is none, in this one. */
async function fillingFor({ env, loadSettings }: ManagerContext, { main, common, checkout }: Source) {
  const projectRoot = main === common ? checkout : main;
  return projectRoot === null ? null : (await loadSettings({ env, projectRoot })).filling;
}

/** Why the setup of the project does not run, in words; null where it does or there is none. */
function withoutSetup(filling: Filling | null, withChanges: boolean): string | null {
  if (filling === null || filling.setup === null) return null;
  if (!filling.isTrusted)
    return `not set up, as you have not trusted ${filling.file} as it is now; see: zwarm config trust`;
  return withChanges ? 'not set up, as the setup could run what an agent has changed' : null;
}

/**
 * Plans the worktree of a session that is to work at `record.working_dir`: where, on which branch, from which commit.
 * @throws ZwarmError `usage`, `name_taken`, `not_allowed`, `git_failed`, and those of `requireOutOfReach`
 */
export async function planTree(
  context: ManagerContext,
  { adapter, record, confiner }: TreeTurn,
  asked: AskedTree,
): Promise<TreePlan> {
  const { name, branch = `zwarm/${name}`, base: revision = 'HEAD', withChanges = false } = asked;
  const directory = join(record.working_dir, record.work_in ?? '');
  const source = sourceAround(context, directory);
  const { checkout } = source;
  const git = gitOf(context, source);
  const where = checkout ?? source.common;
  await requireHarmless(context, git, source);
  const [{ base, branch: baseBranch }] = await Promise.all([
    baseOf(git, revision, where),
    requireNewBranch(git, branch),
  ]);
  if (withChanges) await requireSameCommit(git, source, base);
  const turn = { ...record, working_dir: where };
  const { directories, unclear, outside } = await writableBy(context, adapter.confinement, turn, true);
  const isAnywhere = unclear.length + outside.length > 0;
  const reached = isAnywhere ? ['/'] : directories.filter((path) => path !== where);
  const places = placeOfTrees(context, source, reached, asked.worktreeDir);
  const path = join(places, name);
  if (lookAt(path) !== null) throw new PlaceTaken(path);
  await requireOutOfReach(context, adapter, { ...record, working_dir: path }, confiner !== null);
  const from = baseBranch === null ? base.slice(0, 10) : `${baseBranch} at ${base.slice(0, 10)}`;
  const filling = await fillingFor(context, source);
  const idle = withoutSetup(filling, withChanges);
  return {
    source,
    ...{ path, branch, base, baseBranch, withChanges, filling },
    workIn: relative(checkout ?? directory, directory) || null,
    notes: async () => [
      `its worktree: ${path}, branch ${branch}, from ${from}`,
      ...(await tellChanges(git, source, withChanges)),
      ...(idle === null ? [] : [idle]),
    ],
  };
}
