import { type ChangeCount, countOf } from '../../core/changes.ts';
import { ZwarmError } from '../../core/errors.ts';
import { textOfPath } from '../../core/raw-path.ts';
import { commitMessage } from '../../core/rules/commit-message.ts';
import { mergeRequest } from '../../core/rules/merge-request.ts';
import { isoTime } from '../../core/time.ts';
import { compareTrees } from '../../git/compare.ts';
import { borrowing, listOf } from '../../git/files.ts';
import { type Git, gitIn, withVariables } from '../../git/git.ts';
import {
  bringObjects,
  checkoutOf,
  type Landing,
  type LandWay,
  moveBranch,
  prepareLanding,
} from '../../git/land.ts';
import { ownCheckoutAt } from '../../store/git.ts';
import { readLanded, writeLanded } from '../../store/landed.ts';
import { landersDir } from '../../store/layout.ts';
import { recordTouchedAt } from '../../store/trees.ts';
import { requireUser } from '../access/caller.ts';
import { requireMayLand } from '../access/permissions.ts';
import { mergeIntoTree } from '../changes/merge-into-tree.ts';
import { oneAtATime } from '../changes/one-at-a-time.ts';
import { gitOver, type Place, placeOf } from '../changes/place.ts';
import { inTemporaryCheckout } from '../changes/temporary-checkout.ts';
import {
  type Gits,
  gitsOf,
  landedBase,
  notMerged,
  ofKnownFiles,
  requireMerged,
  type TreeNow,
  treeNow,
} from '../changes/tree-now.ts';
import { type ManagerContext, type Session, stateDirectory } from '../context.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { requireOwnTree } from '../session/own-tree.ts';
import { computeSummary } from '../session/session-summary.ts';
import { checkInject, inject } from './inject.ts';

/** What is to be done with the work of a session. */
export interface LandOptions {
  /** The branch; else the one from which the session's tree was made. */
  readonly onto?: string | undefined;
  readonly way: LandWay;
  /** Only tell what would come of it. */
  readonly dryRun: boolean;
  /** Looks at the merged files in a directory that is made for it: false refuses them. */
  readonly check?: ((directory: string) => Promise<boolean>) | undefined;
}

/** What came of it. */
export interface Landed extends ChangeCount {
  readonly id: string;
  readonly onto: string;
  /** The commit of the branch before. */
  readonly from: string;
  /** The one that it has now, or would have; null where it has all of it already. */
  readonly commit: string | null;
  /** Files whose content no snapshot holds: they stay in the tree. */
  readonly left_out: readonly string[];
}

/** The variables by which git knows who commits, where the user has set them. */
const IDENTITY = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/;

const identityIn = (env: ManagerContext['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => IDENTITY.test(entry[0]) && !!entry[1]),
  );

/** The checkout that has the branch, with git in it; null where nobody has checked it out. @throws ZwarmError `git_failed` */
async function targetCheckout(
  { env }: ManagerContext,
  { program }: Place,
  { plain, common }: Gits,
  onto: string,
): Promise<{ readonly path: string; readonly git: Git } | null> {
  const path = await checkoutOf(plain, onto);
  if (path === null) return null;
  const own = ownCheckoutAt(path);
  if (own?.common !== common)
    throw new ZwarmError('git_failed', `${path} has ${onto}, but is not a checkout of this repository`);
  return { path, git: gitIn({ gitDir: own.gitDir, workTree: path }, program, env) };
}

/** A session whose work is to land, and what that is. @throws ZwarmError `usage`, `no_tree`, `busy`, … */
export async function landable(context: ManagerContext, session: Session, branch: string | undefined) {
  const { id } = session;
  const record = await requireOwnTree(context, session);
  const own = record.worktree;
  const onto = branch ?? own.base_branch;
  if (onto === null)
    throw new ZwarmError('usage', `the tree of ${id} came from no branch`, 'name one: --onto BRANCH');
  if (onto === own.branch)
    throw new ZwarmError(
      'usage',
      `${onto} is the branch of the tree itself`,
      'name another one: --onto BRANCH',
    );
  const place = placeOf(context, session, record);
  const gits = gitsOf(context, place);
  const work = await workIn(context, session, place, gits);
  return { record, onto, place, gits, work };
}

/** What is to land: files that no snapshot holds are in it as they were committed, and so are submodules. */
async function workIn(
  context: ManagerContext,
  session: Session,
  place: Place,
  { making }: Gits,
): Promise<TreeNow> {
  const now = await treeNow(context, session, place);
  return { ...now, tree: await ofKnownFiles(context, place, making, now) };
}

const MOST_TRIES = 5;

/**
 * Brings the files of a session's tree onto a branch, as a commit of the user. Whatever happens, the branch has all of it or
 * is as it was. @throws ZwarmError `conflict` with the files named, `busy`, `no_tree`, `failed`, `lost_race`, …
 */
export async function land(context: ManagerContext, session: Session, options: LandOptions): Promise<Landed> {
  await requireMayLand(context, session, options);
  const { id } = session;
  const { record, onto, place, gits, work } = await landable(context, session, options.onto);
  await requireMerged(session, gits, work.tree);
  const { agent, model, last_message } = await computeSummary(session, context.now());
  const who = [agent ?? record.agent, model].filter(Boolean).join(' ');
  const message = commitMessage({ id, agent: who, task: record.task, answer: last_message });
  const asked = { way: options.way, message, identity: identityIn(context.env) };
  const left_out = work.leftOut.map(textOfPath);

  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const base = await landedBase(session, gits, `refs/heads/${onto}`);
    const prepared = await prepareLanding(gits.making, onto, { ...work, base }, asked);
    if (prepared.kind === 'conflict') throw conflict(id, onto, prepared.files);
    if (prepared.kind === 'nothing')
      return { id, onto, from: prepared.from, commit: null, left_out, files: 0, added: 0, removed: 0 };
    const { landing } = prepared;
    const { from, commit } = landing;
    const pair = { git: gitOver(context, place, null), alternates: place.alternates, from, to: commit };
    const done = { id, ...landing, left_out, ...countOf((await compareTrees(pair)).changes) };
    if (options.dryRun) return done;
    const both = withVariables(gits.plain, borrowing(listOf([`${place.snapshots}/objects`])));
    await bringObjects(both, landing, `${gits.common}/objects/pack/pack`);
    if (options.check && !(await inTemporaryCheckout(context, gits.plain, commit, options.check)))
      throw new ZwarmError('failed', 'the check of the merged files failed: nothing has changed');
    if (await move(context, session, { place, gits, landing, tree: work.tree })) return done;
  }
  throw new ZwarmError('lost_race', `${onto} kept moving`, 'try again');
}

/** Records the landing, and moves the branch; false where that has moved meanwhile. */
async function move(
  context: ManagerContext,
  session: Session,
  { place, gits, landing, tree }: { place: Place; gits: Gits; landing: Landing; tree: string },
): Promise<boolean> {
  const { onto, commit } = landing;
  const recorded = { v: 1 as const, onto, commit, tree, done: false, asked: [], at: isoTime(context.now()) };
  const before = readLanded(session);
  writeLanded(session, recorded, context.newNonce());
  let isMoved = false;
  try {
    // git reads the index of a checkout before it locks it: of two merges at once one would write what it read before the other.
    isMoved = await oneAtATime(context, landersDir(stateDirectory(context)), async () => {
      const checkout = await targetCheckout(context, place, gits, onto);
      if (checkout !== null) recordTouchedAt(session.store.root, checkout.path);
      return moveBranch(gits.plain, landing, checkout?.git ?? null);
    });
    return isMoved;
  } finally {
    // Where nothing has landed now, what landed before still counts.
    const last = isMoved ? { ...recorded, done: true } : before;
    if (last !== null) writeLanded(session, last, context.newNonce());
  }
}

function conflict(id: string, onto: string, files: readonly string[]): ZwarmError {
  const what = `${onto} has changed the same lines as ${id}: ${files.join(', ')}; nothing has changed`;
  return new ZwarmError('conflict', what, `have its agent merge them: zwarm land ${id} --ask`);
}

/** What an agent was asked to merge. */
export interface AskedMerge {
  readonly onto: string;
  readonly files: readonly string[];
  /** The turn in which it does. */
  readonly started: StartedTurn;
}

/**
 * Merges a branch into the files of a session's tree, and asks its agent to do what could not be merged by itself; returns once
 * that runs. Null where there is nothing to ask. @throws ZwarmError `conflict` where a file is in the way, and what `land` and
 * `inject` throw
 */
export async function askMerge(
  context: ManagerContext,
  session: Session,
  branch: string | undefined,
): Promise<AskedMerge | null> {
  requireUser(context);
  const { onto, place, gits, work } = await landable(context, session, branch);
  await checkInject(context, session);
  const before = await notMerged(session, gits, work.tree);
  const left =
    before.length > 0
      ? { files: before, unmarked: [] }
      : await mergeIntoTree(context, session, onto, { place, gits, work });
  if (left === null) return null;
  const [files, unmarked] = [left.files.map(textOfPath), left.unmarked.map(textOfPath)];
  const started = await inject(context, session, mergeRequest(onto, files, unmarked));
  return { onto, files, started };
}
