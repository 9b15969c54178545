import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { checkoutAt, commonDirectory, isGitDirectory } from './git.ts';

/** The project around a directory. */
export interface Project {
  /** What its store is kept under, a real path: the common git directory, outside of git the directory itself. */
  readonly path: string;
  /** The root of the checkout around the directory, outside of git the project's directory; a real path. */
  readonly checkout: string;
  /** The git directory of that checkout, a real path; null outside of git. */
  readonly gitDir: string | null;
}

/** Whether anybody may put files into a directory, as in /tmp. */
function isPublic(directory: string): boolean {
  return (statSync(directory).mode & 0o002) !== 0;
}

/** The real path of a directory. @throws ZwarmError `usage` for one whose name is not text */
function realDirectory(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    // What Node cannot decode becomes U+FFFD, and no such path exists.
    const hint = path.includes('\ufffd')
      ? 'give the directory a name in UTF-8'
      : 'name a directory that exists';
    throw new ZwarmError('usage', `there is no directory ${JSON.stringify(path)}`, hint, error);
  }
}

/** The project whose root is this very directory, or null where it is none. */
function projectAt(directory: string, hasStore: (path: string) => boolean): Project | null {
  const bare = { path: directory, checkout: directory, gitDir: null };
  if (isGitDirectory(directory)) return { ...bare, gitDir: directory };
  const checkout = checkoutAt(directory);
  if (checkout === null) return hasStore(directory) ? bare : null;
  const path = commonDirectory(checkout) ?? directory;
  const inGit = { path, checkout: directory, gitDir: checkout.gitDir };
  // Sessions from before `git init` stay with the directory.
  return !hasStore(path) && hasStore(directory) ? { ...inGit, path: directory } : inGit;
}

/**
 * The project around a directory: the nearest directory upwards that has a store or is the root of a git repository; the
 * directory itself where there is none. The walk does not enter the user's home, `/` or a directory in which others may
 * write from below: anybody could have made a project of it.
 *
 * @param cwd absolute path
 * @param home the user's home, or null
 * @param hasStore whether there is a store for a project of this path
 */
export function findProject(cwd: string, home: string | null, hasStore: (path: string) => boolean): Project {
  const here = realDirectory(cwd);
  const realHome = home !== null && lstatSync(home, { throwIfNoEntry: false }) ? realDirectory(home) : null;
  for (let at = here; ; at = dirname(at)) {
    const project = projectAt(at, hasStore);
    if (project !== null) return project;
    const above = dirname(at);
    if (above === at || above === '/' || above === realHome || isPublic(above))
      return { path: here, checkout: here, gitDir: null };
  }
}

/** The directory from which the sessions of a project record their own: where its main checkout is, if it has one. */
export function rootOfProject(path: string): string {
  return path.endsWith('/.git') ? dirname(path) : path;
}
