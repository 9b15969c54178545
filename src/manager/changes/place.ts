import { ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import { listOf } from '../../git/files.ts';
import { findGit, gitIn } from '../../git/git.ts';
import { gitStateOf, isGitDirectory, type OwnCheckout, ownCheckoutAt } from '../../store/git.ts';
import { snapshotsDir } from '../../store/layout.ts';
import { isOpenDirectory, realPathOf } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { ManagerContext, Session } from '../context.ts';

/** Where the files of a session are, and the repository for its snapshots. */
export interface Place {
  /** The root of the checkout in which its agent works, outside of git the directory itself; a real path. */
  readonly root: string;
  /** Null where git knows nothing of these files. */
  readonly user: OwnCheckout | null;
  /** The commit of the checkout now; null without one. */
  readonly head: string | null;
  readonly snapshots: string;
  /** Where the objects of the user's repository are, as git takes it; or null. */
  readonly alternates: string | null;
  /** The program of git. */
  readonly program: string;
}

/** The root of the files of a session: as it was when the session was created, so that all its snapshots are of one place. */
export function rootOf({ git, working_dir }: Pick<SessionRecord, 'git' | 'working_dir'>): string {
  return git?.root ?? working_dir;
}

/** Refuses a directory of which no snapshot is made. @throws ZwarmError `git_failed` */
export function requireSnapshotable({ root }: Place, { HOME: home = '' }: ManagerContext['env']): void {
  const refuse = (why: string): never => {
    throw new ZwarmError('git_failed', why);
  };
  if (!isOpenDirectory(root) || realPathOf(root) !== root) refuse(`${root} is gone, closed or elsewhere`);
  if (root === '/' || (home !== '' && isWithin(realPathOf(home) ?? home, root)))
    refuse(`${root} holds a whole home`);
  if (isGitDirectory(root)) refuse(`${root} is a git directory, which has no files of its own`);
}

/** Finds the files of a session, and where its snapshots are, also once these files are gone. @throws ZwarmError `git_failed` */
export function placeOf(context: ManagerContext, session: Session, record: SessionRecord): Place {
  const root = rootOf(record);
  const program = findGit(context.env, [root]);
  const user = record.git === null ? null : ownCheckoutAt(root);
  const head = user === null ? null : (gitStateOf(root)?.head ?? null);
  // Of a worktree that is gone the objects are still there.
  const lender = user ?? (record.git === null ? null : ownCheckoutAt(session.store.projectRoot));
  const alternates = lender && listOf([`${lender.common}/objects`]);
  return { root, user, head, snapshots: snapshotsDir(session), program, alternates };
}

/** git in the repository for snapshots, over the files of a session or of a directory among them. */
export const gitOver = ({ env }: ManagerContext, { snapshots, program }: Place, workTree: string | null) =>
  gitIn({ gitDir: snapshots, workTree, isPrivate: true }, program, env);
