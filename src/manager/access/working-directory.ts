import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import { isClosed } from '../../core/rules/policy.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { isOpenDirectory, realPathOf } from '../../store/real-path.ts';
import type { OwnTree, SessionRecord } from '../../store/records.ts';
import { hasSession, readSessionRecord } from '../../store/sessions.ts';
import { listTrees } from '../../store/trees.ts';
import type { ManagerContext, Store } from '../context.ts';
import { isOwn, type Limits, requireAllowedRoot } from './permissions.ts';

/** The tree that was made for a session of this caller, around a real path; or null. */
function ownTreeAround(context: ManagerContext, store: Store, path: string): OwnTree | null {
  const found = listTrees(store.root).find((tree) => tree.isMade && isWithin(path, tree.path));
  if (found === undefined || isClosed(path, found.path)) return null;
  const session = { store, id: found.id };
  if (!hasSession(session) || !isOwn(context, session)) return null;
  return unlessDamaged(() => readSessionRecord(session).worktree);
}

/**
 * The directory for a new session; `given` is relative to the caller's. An agent of the user runs right there. An agent of
 * another caller runs at an allowed root and is told to work below it: an agent that can write above a directory can
 * exchange it for a link after every check. @throws ZwarmError `usage`, `not_allowed`
 */
export function requireWorkingDirectory(
  context: ManagerContext,
  given: string,
  limits: Limits,
  store: Store | null,
): Pick<SessionRecord, 'working_dir' | 'work_in' | 'worktree'> {
  const refuse = (what: string, hint: string): never => {
    throw new ZwarmError('usage', what, hint);
  };
  // An unset variable in a script must not send an agent into the directory that happens to be current.
  if (given === '') refuse('the directory is empty', 'give one that exists with -C DIR');
  const path = resolve(context.cwd, given);
  const tree =
    limits === null || store === null ? null : ownTreeAround(context, store, realPathOf(path) ?? path);
  // First: a caller that may not work there does not learn what is there.
  if (tree === null) requireAllowedRoot(limits, realPathOf(path) ?? path);
  const real = realPathOf(path);
  if (real === null) return refuse(`there is no directory ${path}`, 'give one that exists with -C DIR');
  if (!statSync(real).isDirectory()) refuse(`${path} is not a directory`, 'give a directory with -C DIR');
  if (!isOpenDirectory(real))
    refuse(`${path} cannot be read`, 'change its permissions, or give another one with -C DIR');
  const root = tree === null ? requireAllowedRoot(limits, real) : tree.path;
  return { working_dir: root, work_in: root === real ? null : relative(root, real), worktree: tree };
}
