import { findGit, gitIn } from '../../git/git.ts';
import { whyNotOurs } from '../../store/own-place.ts';
import { lookAt, unlessDamaged } from '../../store/read-file.ts';
import type { ManagerContext, Session } from '../context.ts';
import type { Place } from './place.ts';

/*
 * The commit from which a session began is kept by a ref of ours, whatever is rebased and cleaned up in the user's repository:
 * the one thing that we write there.
 */

const refOf = ({ id }: Pick<Session, 'id'>): string => `refs/zwarm/${id}`;

/** Keeps the commit at which the checkout is, where a ref may be made. @throws ZwarmError `git_failed` */
export async function pin(
  context: ManagerContext,
  { user, head, program }: Place,
  session: Session,
): Promise<void> {
  if (user === null || head === null) return;
  // In the repository of another user root's directory of refs would be closed to them: there only git keeps the commit.
  if (whyNotOurs(context, `${user.common}/${refOf(session)}`) !== null) return;
  const git = gitIn({ gitDir: user.common, workTree: null }, program, context.env);
  await git(['update-ref', refOf(session), head]);
}

/** Gives the commit of a session free that was removed; `common`: the git directory that it is pinned in. */
export async function releasePin(
  { env }: ManagerContext,
  session: Pick<Session, 'id'>,
  common: string,
): Promise<void> {
  const isPinned = (directory: string) =>
    unlessDamaged(() => lookAt(`${directory}/${refOf(session)}`) ?? lookAt(`${directory}/packed-refs`)) !==
    null;
  if (!isPinned(common)) return;
  try {
    const git = gitIn({ gitDir: common, workTree: null }, findGit(env, [common]), env);
    await git(['update-ref', '-d', refOf(session)]);
  } catch {
    // The session is gone, and that was asked for: what stays costs a line in a file, and a commit that is not cleaned up.
    return;
  }
}
