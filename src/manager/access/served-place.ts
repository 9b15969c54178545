import { isAbsolute } from 'node:path';
import { toZwarmError } from '../../core/errors.ts';
import { allowedRoot, defaultDirectories, isAllowedDirectory, type Policy } from '../../core/rules/policy.ts';
import { cutText } from '../../core/session.ts';
import { hostIdentity } from '../../process/identity.ts';
import { isRealDirectory } from '../../store/read-file.ts';
import { realPathOf } from '../../store/real-path.ts';
import { findProject, rootOfProject } from '../../store/which-project.ts';
import { locateProject, type ManagerContext, stateDirectory } from '../context.ts';
import { callerOf, isUsers } from './caller.ts';
import { settingsFor } from './permissions.ts';

/** Where a server of tools works: in which project, and what a call without a directory means. */
export type ServedPlace = Pick<ManagerContext, 'cwd' | 'project'>;

/** No program has more directories open than this. */
const MOST_ROOTS = 20;

const homeOf = ({ env: { HOME: home } }: ManagerContext): string | null =>
  home?.startsWith('/') ? home : null;

/**
 * Whether a server was started in a project: below a store or the root of a git repository which does not hold all of the
 * user's home. An agent's server always was, whatever its environment says of directories.
 */
function isInProject(context: ManagerContext): boolean {
  const { gitDir, store, others, checkout } = locateProject(context);
  const isKnown = gitDir !== null || (store ?? others) !== null;
  const home = homeOf(context);
  const isPart = defaultDirectories(checkout, home && realPathOf(home)).length > 0;
  return !isUsers(callerOf(context).source) || (isKnown && isPart);
}

/** The place of a directory that a host names, if agents may work in it and its project is allowed as a whole; or null. */
function allowedPlace(context: ManagerContext, policy: Policy, named: string): ServedPlace | null {
  if (!isAbsolute(named) || named.includes('\0')) return null;
  const cwd = realPathOf(named);
  if (cwd === null || !isRealDirectory(cwd)) return null;
  // The state directory is the one of where the server was started: ZWARM_DIR may be relative.
  const project = findProject(cwd, homeOf(context), stateDirectory(context), () => hostIdentity().host);
  // The checkout may be larger than the directory, and the main one of a linked worktree lies elsewhere.
  const roots = [project.checkout, rootOfProject(project.path)];
  const isWhole = roots.every((root) => isAllowedDirectory(policy, root));
  return isWhole && 'root' in allowedRoot(policy, cwd) ? { cwd, project } : null;
}

/**
 * Where a server works that was not started in a project: in the first directory that its host names, by
 * CLAUDE_PROJECT_DIR or else as one of its roots, of those which the policy of the place where it was started allows.
 * A name permits nothing. `place` is null where the server works where it was started; `notices` are for a person.
 * @param roots asks the host for directories; called only where they can matter
 */
export async function servedPlace(
  context: ManagerContext,
  roots: () => Promise<readonly string[]>,
): Promise<{ readonly place: ServedPlace | null; readonly notices: readonly string[] }> {
  const refused: string[] = [];
  try {
    if (isInProject(context)) return { place: null, notices: [] };
    const { policy } = (await settingsFor(context, null)).settings;
    const variable = context.env['CLAUDE_PROJECT_DIR'];
    for (const ask of [async () => (variable ? [variable] : []), roots]) {
      for (const named of (await ask()).slice(0, MOST_ROOTS)) {
        const place = allowedPlace(context, policy, named);
        if (place !== null) return { place, notices: [`works in ${place.cwd}, which its host has named`] };
        refused.push(
          `does not work in ${cutText(named, 200)}, as the user has not allowed it: zwarm config set allowed_dirs DIR`,
        );
      }
    }
    return { place: null, notices: refused };
  } catch (error) {
    // Each call will tell the model; here the server must go on.
    return { place: null, notices: [...refused, toZwarmError(error).message] };
  }
}
