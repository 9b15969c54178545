import { basename, dirname } from 'node:path';
import { upwards } from '../core/path.ts';
import { isAt, likeness, mayBeThere, whereaboutsOf } from './directory-identity.ts';
import { sessionsDir } from './layout.ts';
import { hasStore, isSound, type KnownStore, type SoundStore, storeDir } from './project-store.ts';
import type { ProjectRecord } from './records.ts';
import { windowTarget } from './window.ts';

/*
 * A project that was moved keeps its sessions: its store is found by the directory itself. Of two witnesses, the inode and
 * either the time of its birth or the window that moved along, both have to agree: inodes are used again, a window is copied
 * with its directory, and an agent can forge one.
 */

/** A project where it is now. Real paths. */
export interface Place {
  /** By which its store can be known: its common git directory, the main checkout of that, and the directory itself. */
  readonly paths: readonly string[];
  readonly checkout: string;
}

/** A store whose project may have been moved to a place. */
export interface MovedStore extends SoundStore {
  /** Which of the paths of the place takes that of its record. */
  readonly path: string;
  /** Whether the window of the place leads to it. */
  readonly isSeen: boolean;
  /** Whether two witnesses agree. */
  readonly isSure: boolean;
}

/** Whether a store lies where its record says and its project is there, or nobody can tell now. */
const isHome = (state: string, root: string, record: ProjectRecord): boolean =>
  storeDir(state, record.path) === root && mayBeThere(record);

/**
 * Whether the window of a place says by itself that it may be the project of a record: a linked worktree has one that leads to
 * the sessions of its repository, which may be elsewhere.
 */
function mayBe({ paths: [first], checkout }: Place, { path }: ProjectRecord): boolean {
  const own = `${checkout}/.git`;
  if (basename(path) === '.git') return first === own;
  return !/\.(git|bare)$/.test(path) && (first === own || first === checkout);
}

/** Whether a directory lies in a project that has sessions: their agents can make directories there, and windows in them. */
const isInProject = (state: string, directory: string): boolean =>
  upwards(dirname(directory)).some((at) =>
    [at, `${at}/.git`].some((path) => hasStore(storeDir(state, path))),
  );

/**
 * The stores whose projects may have been moved to a place on this host, the surest first; also those that are kept for its
 * other paths.
 */
export function movedTo(
  state: string,
  host: () => string,
  place: Place,
  stores: readonly KnownStore[],
): readonly MovedStore[] {
  const { paths, checkout } = place;
  const window = windowTarget(checkout);
  const found = stores.filter(isSound).flatMap(({ root, record }): MovedStore[] => {
    const isSeen = window === sessionsDir(root);
    const path = paths.find((one) => isAt(one, record));
    if (path === undefined && !(isSeen && mayBe(place, record))) return [];
    // The same directory has another path in a container.
    if (record.host !== host()) return [];
    const isOwn = path === record.path;
    // Only of a match is the other place looked at: a file system that does not answer would hold every command.
    if (isHome(state, root, record) && !isOwn) return [];
    const found = { root, record, isSeen };
    if (path === undefined)
      return whereaboutsOf(record) === null ? [{ ...found, path: paths[0] ?? checkout, isSure: false }] : [];
    const isSure = isOwn || likeness(path, record) === 'same' || (isSeen && !isInProject(state, checkout));
    return [{ ...found, path, isSure }];
  });
  const rank = ({ isSure, isSeen }: MovedStore): number => (isSure ? 2 : 0) + (isSeen ? 1 : 0);
  return found.sort((a, b) => rank(b) - rank(a));
}
