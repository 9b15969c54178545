import { ZwarmError } from '../../core/errors.ts';
import { type RawPath, textOfPath } from '../../core/raw-path.ts';
import { borrowing } from '../../git/files.ts';
import { type Git, gitIn, withVariables } from '../../git/git.ts';
import { asCommitted, withMarkers } from '../../git/land.ts';
import { discard } from '../../store/files.ts';
import { readLanded } from '../../store/landed.ts';
import { BUILDING_PREFIX } from '../../store/layout.ts';
import type { ManagerContext, Session } from '../context.ts';
import type { Place } from './place.ts';
import { takeFiles } from './take-snapshot.ts';

/** Git in the repository of a tree: as it is, and with what a landing makes, which only our own repository gets. */
export interface Gits {
  readonly common: string;
  readonly plain: Git;
  readonly making: Git;
}

const REPAIR = 'if its repository was moved, say so to git there: git worktree repair';

/** Git in the repository of a session's tree. @throws ZwarmError `git_failed` where the tree is gone */
export function gitsOf({ env }: ManagerContext, { user, program, snapshots, alternates }: Place): Gits {
  if (user === null) throw new ZwarmError('git_failed', 'git does not know the tree of this session', REPAIR);
  const { common } = user;
  const plain = gitIn({ gitDir: common, workTree: null }, program, env);
  const ours = { GIT_OBJECT_DIRECTORY: `${snapshots}/objects`, ...borrowing(alternates) };
  return { common, plain, making: withVariables(plain, ours) };
}

/** The files of a session's own tree as they are now. */
export interface TreeNow {
  /** The commit that is checked out there. */
  readonly head: string;
  readonly tree: string;
  /** What the tree does not hold. */
  readonly leftOut: readonly RawPath[];
}

/** Takes in the files of a session's own tree. @throws ZwarmError that says why it could not */
export async function treeNow(context: ManagerContext, session: Session, place: Place): Promise<TreeNow> {
  const { tree, leftOut } = await (await takeFiles(context, session, place)).finish();
  const { head } = place;
  if (head === null) throw new ZwarmError('git_failed', `${place.root} has no commit`);
  return { head, tree, leftOut: leftOut.map(({ path }) => path) };
}

/** A tree in which what no snapshot of a session's tree holds is as it was committed there. @throws ZwarmError `git_failed` */
export async function ofKnownFiles(
  context: ManagerContext,
  { snapshots }: Place,
  making: Git,
  { head, tree, leftOut: paths }: TreeNow,
): Promise<string> {
  const index = `${snapshots}/${BUILDING_PREFIX}${context.newNonce()}`;
  try {
    return await asCommitted(making, tree, { head, paths, index });
  } finally {
    discard(index);
  }
}

/** The files that the agent was asked to merge, and has not. @throws ZwarmError `git_failed` */
export async function notMerged(
  session: Session,
  { making }: Gits,
  tree: string,
): Promise<readonly RawPath[]> {
  const asked = readLanded(session)?.asked ?? [];
  return asked.length === 0 ? [] : withMarkers(making, tree, asked);
}

/** Refuses a tree in which markers of a merge are left. @throws ZwarmError `conflict` */
export async function requireMerged(session: Session, gits: Gits, tree: string): Promise<void> {
  const { id } = session;
  const left = await notMerged(session, gits, tree);
  if (left.length === 0) return;
  const what = `${id} has left markers of the merge in: ${left.map(textOfPath).join(', ')}; nothing has changed`;
  throw new ZwarmError(
    'conflict',
    what,
    `ask its agent again: zwarm land ${id} --ask; or edit them in its tree`,
  );
}

/**
 * The files that a commit has of this session since the last landing, by their tree; null where there was none, or the commit
 * does not have it. `commit` may be any name that git understands.
 */
export async function landedBase(session: Session, { making }: Gits, commit: string): Promise<string | null> {
  const landed = readLanded(session);
  if (landed === null) return null;
  const ask = ['merge-base', '--is-ancestor', landed.commit, commit];
  return (await making(ask, { codes: [1, 128] })).code === 0 ? landed.tree : null;
}
