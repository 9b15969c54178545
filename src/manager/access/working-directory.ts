import { realpathSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { realPathOf } from '../../store/real-path.ts';
import type { ManagerContext } from '../context.ts';
import { type Limits, requireAllowedRoot } from './permissions.ts';

/** Where an agent runs, a real path; and the directory below it in which it is told to work, or null. */
export interface WorkingDirectory {
  readonly working_dir: string;
  readonly work_in: string | null;
}

/**
 * The directory for a new session. An agent of the user runs right there. An agent of another caller runs at an allowed
 * root and is told to work below it: whoever can write above a directory can exchange it for a link after every check.
 *
 * @param given relative to the caller's directory
 * @throws ZwarmError `usage`, `not_allowed`
 */
export function requireWorkingDirectory(
  { cwd }: ManagerContext,
  given: string,
  limits: Limits,
): WorkingDirectory {
  // An unset variable in a script must not send an agent into the directory that happens to be current.
  if (given === '')
    throw new ZwarmError('usage', 'the directory is empty', 'give one that exists with -C DIR');
  const path = resolve(cwd, given);
  // First: whoever may not work there is not told what is there either.
  requireAllowedRoot(limits, realPathOf(path) ?? path);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new ZwarmError('usage', `there is no directory ${path}`, 'give one that exists with -C DIR');
  if (!stat.isDirectory())
    throw new ZwarmError('usage', `${path} is not a directory`, 'give a directory with -C DIR');
  const real = realpathSync(path);
  const root = requireAllowedRoot(limits, real);
  return { working_dir: root, work_in: root === real ? null : relative(root, real) };
}
