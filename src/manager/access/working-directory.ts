import { realpathSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { realPathOf } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { ManagerContext } from '../context.ts';
import { type Limits, requireAllowedRoot } from './permissions.ts';

/**
 * The directory for a new session; `given` is relative to the caller's. An agent of the user runs right there. An agent of
 * another caller runs at an allowed root and is told to work below it: an agent that can write above a directory can
 * exchange it for a link after every check. @throws ZwarmError `usage`, `not_allowed`
 */
export function requireWorkingDirectory(
  { cwd }: ManagerContext,
  given: string,
  limits: Limits,
): Pick<SessionRecord, 'working_dir' | 'work_in'> {
  const refuse = (what: string, hint: string): never => {
    throw new ZwarmError('usage', what, hint);
  };
  // An unset variable in a script must not send an agent into the directory that happens to be current.
  if (given === '') refuse('the directory is empty', 'give one that exists with -C DIR');
  const path = resolve(cwd, given);
  // First: a caller that may not work there does not learn what is there.
  requireAllowedRoot(limits, realPathOf(path) ?? path);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) refuse(`there is no directory ${path}`, 'give one that exists with -C DIR');
  if (!stat?.isDirectory()) refuse(`${path} is not a directory`, 'give a directory with -C DIR');
  const real = realpathSync(path);
  const root = requireAllowedRoot(limits, real);
  return { working_dir: root, work_in: root === real ? null : relative(root, real) };
}
