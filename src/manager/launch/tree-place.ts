import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { isWithin, upwards } from '../../core/path.ts';
import { hostIdentity } from '../../process/identity.ts';
import { checkoutAt, isConfiguredBare, isGitDirectory, verified } from '../../store/git.ts';
import { statesTreesDir } from '../../store/layout.ts';
import { requireOwnPlace, whyNotOurs } from '../../store/own-place.ts';
import { storeDir } from '../../store/project-store.ts';
import { lookAt, unlessDamaged } from '../../store/read-file.ts';
import { realPathToBe } from '../../store/real-path.ts';
import { hasSessionsAt, rootOfProject } from '../../store/which-project.ts';
import { type ManagerContext, stateDirectory } from '../context.ts';

/** A repository of which a worktree is made, by a checkout or, for a bare one, by itself. Real paths. */
export interface Source {
  /** The root of the checkout; null for a bare repository. */
  readonly checkout: string | null;
  readonly gitDir: string;
  readonly common: string;
  /** The main checkout, where there is one, or the bare repository. */
  readonly main: string;
  /** A project around it, in which agents may have written all of this; or null. */
  readonly around: string | null;
}

/** The nearest of these directories whose sessions zwarm keeps: agents may have written in it. */
function projectAmong(state: string, directories: readonly string[]): string | null {
  const host = () => hostIdentity().host;
  // No confined agent may write where the state directory lies.
  const found = directories.find((at) => !isWithin(state, at) && hasSessionsAt(state, host, at));
  return found ?? null;
}

/**
 * The repository around a directory (a real path), to make worktrees of it.
 * @throws ZwarmError `usage`, `foreign_directory`, `not_allowed` for a forged one
 */
export function sourceAround(context: ManagerContext, directory: string): Source {
  const state = stateDirectory(context);
  for (const at of upwards(directory)) {
    const found = checkoutAt(at);
    if (found === null && !isGitDirectory(at)) continue;
    const common = found === null ? at : verified(found)?.common;
    if (common === undefined) {
      const hint = 'start it in the main checkout of its repository, or without -W';
      const what = `the git directory of ${at} lies elsewhere (a submodule, say), and an agent could have written where`;
      throw new ZwarmError('not_allowed', what, hint);
    }
    requireOwnPlace(context, `${common}/worktrees`);
    const main = rootOfProject(common);
    const around = projectAmong(state, upwards(dirname(main)));
    const gitDir = found?.gitDir ?? at;
    // A `.git` file beside a bare repository leads git to that, and makes no checkout of what lies around.
    const isBare = gitDir === common && (found === null || isConfiguredBare(common));
    return { checkout: isBare ? null : at, gitDir, common, main, around };
  }
  const hint = 'run `git init` there, or leave -W out';
  throw new ZwarmError('usage', `a worktree needs a git repository, and ${directory} is in none`, hint);
}

/** Whether the user alone can write in a directory; where it does not exist, whether it can be made. */
function isOurs(directory: string, uid: number): boolean {
  const stat = unlessDamaged(() => lookAt(directory));
  if (stat !== null) return stat.isDirectory() && stat.uid === uid && (stat.mode & 0o022) === 0;
  const above = upwards(dirname(directory)).find((at) => unlessDamaged(() => lookAt(at)) !== null) ?? '/';
  try {
    accessSync(above, constants.W_OK | constants.X_OK);
    return statSync(above).isDirectory();
  } catch {
    // Whatever the reason: no directory can be made there.
    return false;
  }
}

/** Whether somebody else can exchange what lies in a directory: others may write there, and no sticky bit keeps it. */
function isPublic(directory: string): boolean {
  return (statSync(directory).mode & 0o1002) === 0o002;
}

/** Why no worktrees can be made in a directory, in words; null where they can. */
function obstacle(
  context: ManagerContext,
  state: string,
  directory: string,
  writable: readonly string[],
): string | null {
  const above = upwards(dirname(directory)).filter(
    (at) => lstatSync(at, { throwIfNoEntry: false }) !== undefined,
  );
  const through = writable.find((one) => isWithin(directory, one)) ?? projectAmong(state, above);
  if (through !== null) return `an agent that works in ${through} could put another directory in its place`;
  const open = above.find(isPublic);
  if (open !== undefined) return `others can write in ${open}`;
  const foreign = whyNotOurs(context, directory);
  if (foreign !== null) return foreign.message;
  return isOurs(directory, context.uid) ? null : 'it cannot be made, or is not the user’s alone';
}

/**
 * The directory in which the worktrees of a project are made: in the one that the user has named, else beside the project,
 * else in the state directory, where no agent can write. `writable` is where the agent to come may write, as real paths.
 * @throws ZwarmError `not_allowed` where they cannot be made in the one that was named
 */
export function placeOfTrees(
  context: ManagerContext,
  { main }: Source,
  writable: readonly string[],
  named: string | null,
): string {
  const state = stateDirectory(context);
  const own = basename(storeDir(state, main));
  if (named !== null) {
    const place = join(realPathToBe(named), own);
    const why = obstacle(context, state, place, writable);
    if (why === null) return place;
    const hint = 'choose another directory: zwarm config set worktree_dir DIR';
    throw new ZwarmError('not_allowed', `no worktree can be made in ${place}: ${why}`, hint);
  }
  const owner = basename(main) === '.bare' ? dirname(main) : main;
  const beside = `${owner.replace(/(?<=[^/])\.git$/, '')}.worktrees`;
  if (obstacle(context, state, beside, writable) === null) return beside;
  return join(realPathToBe(statesTreesDir(state)), own);
}
