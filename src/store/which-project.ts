import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { checkoutAt, isGitDirectory, ownCheckoutAt, verified } from './git.ts';
import { movedTo, type Place } from './moved-store.ts';
import { isOthers, isSound, type KnownStore, listStores, storeAt, storeDir } from './project-store.ts';

/** The project around a directory, and where its sessions are kept. */
export interface Project {
  /** zwarm's directory of state, an absolute path. */
  readonly state: string;
  /** The directory of its store, whether it is there or not; of a project that was moved, where that lies. */
  readonly root: string;
  /** What its store is known by, a real path: the common git directory, outside of git the directory itself. */
  readonly path: string;
  /** The root of the checkout around the directory, outside of git the project's directory; a real path. */
  readonly checkout: string;
  /** The git directory of that checkout, to read names from, a real path; null outside of git. */
  readonly gitDir: string | null;
  /** Its store as it was found, or null. */
  readonly store: KnownStore | null;
  /** The store in its place of another directory, which was at the same path; or null. */
  readonly others: KnownStore | null;
}

/** Whether anybody may put files into a directory, as in /tmp. */
function isPublic(directory: string): boolean {
  return (statSync(directory).mode & 0o002) !== 0;
}

/** The real path of a directory. @throws ZwarmError `usage` for one whose name is not text */
function realDirectory(path: string): string {
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
    throw new ZwarmError('usage', `${path} is not a directory`, 'name one that exists');
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    // What Node cannot decode becomes U+FFFD, and no such path exists.
    const hint = path.includes('\ufffd')
      ? 'give the directory a name in UTF-8'
      : 'name a directory that exists';
    throw new ZwarmError('usage', `there is no directory ${JSON.stringify(path)}`, hint, error);
  }
}

/** Where zwarm keeps its state, on which host, and what stores there are. */
interface Kept {
  readonly state: string;
  readonly host: () => string;
  readonly stores: () => readonly KnownStore[];
}

/** What is kept at `state`; its stores are listed once, and only where they are asked for. */
function keptIn(state: string, host: () => string): Kept {
  let stores: readonly KnownStore[] | undefined;
  return { state, host, stores: () => (stores ??= listStores(state)) };
}

/** The store of a project: the one that is kept for one of its paths, else the one that it surely had elsewhere. */
function storeFor(
  { state, host, stores }: Kept,
  place: Place,
): Pick<Project, 'root' | 'path' | 'store' | 'others'> {
  const known = place.paths.map((path) => ({ path, store: storeAt(storeDir(state, path)) }));
  const own = known.find(({ store, path }) => store !== null && !isOthers(store, path));
  const [moved, ...more] =
    own === undefined ? movedTo(state, host, place, stores()).filter(({ isSure }) => isSure) : [];
  // Of several it is the one to which the window leads.
  const isMoved = moved !== undefined && (moved.isSeen || more.length === 0);
  const found = isMoved ? { path: moved.path, store: moved } : own;
  if (found?.store) return { root: found.store.root, path: found.path, store: found.store, others: null };
  const others = known.find(({ store }) => store !== null);
  const path = others?.path ?? place.paths[0] ?? place.checkout;
  return { root: storeDir(state, path), path, store: null, others: others?.store ?? null };
}

/** What a store of this project can be known by; sessions from before `git init` stay with the main checkout. */
export const placeOf = ({ path, checkout }: Pick<Project, 'path' | 'checkout'>): Place => ({
  paths: [...new Set([path, rootOfProject(path), checkout])],
  checkout,
});

/** The project whose root is this very directory, and whether it is one: it is in git or has a store. */
function projectAt(kept: Kept, checkout: string): Project & { readonly isKnown: boolean } {
  const git = checkoutAt(checkout);
  const gitDir = isGitDirectory(checkout) ? checkout : (git?.gitDir ?? null);
  const common = git === null || gitDir === checkout ? undefined : verified(git)?.common;
  const found = storeFor(kept, placeOf({ path: common ?? checkout, checkout }));
  const isKnown = gitDir !== null || (found.store ?? found.others) !== null;
  return { state: kept.state, ...found, checkout, gitDir, isKnown };
}

/** Whether zwarm keeps sessions of the project whose root is this very directory: agents may have written in it. */
export function hasSessionsAt(state: string, host: () => string, checkout: string): boolean {
  const common = ownCheckoutAt(checkout)?.common ?? checkout;
  const { store, others } = storeFor(keptIn(state, host), placeOf({ path: common, checkout }));
  return (store ?? others) !== null;
}

/** Whether the store of a project does not lie where it would be made, or its record names another place: it was moved. */
export const isElsewhere = ({ state, root, path, store }: Project): boolean =>
  store !== null && isSound(store) && (root !== storeDir(state, path) || store.record.path !== path);

const idOf = (store: KnownStore | null): string | null =>
  store !== null && isSound(store) ? store.record.store_id : null;

/** A project that was found before, with the store that it has now. */
export function withStore(project: Project, host: () => string): Project {
  const store = project.store && storeAt(project.root);
  if (store !== null && idOf(store) === idOf(project.store)) return { ...project, store };
  return { ...project, ...storeFor(keptIn(project.state, host), placeOf(project)) };
}

/**
 * The project around a directory: the nearest directory upwards that has a store or is the root of a git repository; the
 * directory itself where there is none. It has the store that is kept for it, or the one that it had on this host before it
 * was moved. The walk does not enter the user's home, `/` or a directory in which others may write from below: anybody could
 * have made a project of it. All paths are absolute.
 */
export function findProject(cwd: string, home: string | null, state: string, host: () => string): Project {
  const kept = keptIn(state, host);
  const here = realDirectory(cwd);
  const realHome = home !== null && lstatSync(home, { throwIfNoEntry: false }) ? realDirectory(home) : null;
  for (let at = here; ; at = dirname(at)) {
    const { isKnown, ...project } = projectAt(kept, at);
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
