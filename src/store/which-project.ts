import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { checkoutAt, isGitDirectory, verified } from './git.ts';
import { hasStore, storeDir } from './project-store.ts';

/** The project around a directory, and where its sessions are kept. */
export interface Project {
  /** zwarm's directory of state, an absolute path. */
  readonly state: string;
  /** The directory of its store, whether it is there or not. */
  readonly root: string;
  /** What its store is known by, a real path: the common git directory, outside of git the directory itself. */
  readonly path: string;
  /** The root of the checkout around the directory, outside of git the project's directory; a real path. */
  readonly checkout: string;
  /** The git directory of that checkout, to read names from, a real path; null outside of git. */
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
    if (!isErrno(error, 'ENOENT')) throw error;
    // What Node cannot decode becomes U+FFFD, and no such path exists.
    const hint = path.includes('\ufffd')
      ? 'give the directory a name in UTF-8'
      : 'name a directory that exists';
    throw new ZwarmError('usage', `there is no directory ${JSON.stringify(path)}`, hint, error);
  }
}

/** The project whose root is this very directory, and whether it is one: it is in git or has a store. */
function projectAt(state: string, checkout: string): Project & { readonly isKnown: boolean } {
  const found = checkoutAt(checkout);
  const gitDir = isGitDirectory(checkout) ? checkout : (found?.gitDir ?? null);
  const root = storeDir(state, checkout);
  const own = { state, root, path: checkout, checkout, gitDir, isKnown: gitDir !== null || hasStore(root) };
  const path = found === null || gitDir === checkout ? undefined : verified(found)?.common;
  if (path === undefined) return own;
  const shared = storeDir(state, path);
  // Sessions from before `git init` stay with the directory.
  return !hasStore(shared) && hasStore(root) ? own : { ...own, root: shared, path };
}

/**
 * The project around a directory: the nearest directory upwards that has a store or is the root of a git repository; the
 * directory itself where there is none. The walk does not enter the user's home, `/` or a directory in which others may
 * write from below: anybody could have made a project of it. All paths are absolute.
 */
export function findProject(cwd: string, home: string | null, state: string): Project {
  const here = realDirectory(cwd);
  const realHome = home !== null && lstatSync(home, { throwIfNoEntry: false }) ? realDirectory(home) : null;
  for (let at = here; ; at = dirname(at)) {
    const { isKnown, ...project } = projectAt(state, at);
    if (isKnown) return project;
    const above = dirname(at);
    if (above === '/' || above === realHome || isPublic(above))
      return { ...project, root: storeDir(state, here), path: here, checkout: here };
  }
}

/** The directory from which the sessions of a project record their own: where its main checkout is, if it has one. */
export function rootOfProject(path: string): string {
  return path.endsWith('/.git') ? dirname(path) : path;
}
