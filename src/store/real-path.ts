import { accessSync, constants, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isErrno } from '../core/errors.ts';

const UNREACHABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'];

/** The real path of a file or directory, or null where there is none, or none that we can reach. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isErrno(error, ...UNREACHABLE)) return null;
    throw error;
  }
}

/** Whether a path is a directory that we can enter and read. */
export function isOpenDirectory(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return statSync(path).isDirectory();
  } catch (error) {
    if (isErrno(error, ...UNREACHABLE)) return false;
    throw error;
  }
}

/** What a path would be with all links resolved, also where the end of it does not exist yet. */
export function realPathToBe(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const above = dirname(path);
    if (!isErrno(error, 'ENOENT') || above === path) throw error;
    return join(realPathToBe(above), path.slice(above.length));
  }
}

/** The same as far as it can be followed; the rest of the path stays as it is. */
export function withoutLinks(path: string): string {
  try {
    return realPathToBe(path);
  } catch (error) {
    if (isErrno(error, ...UNREACHABLE)) return path;
    throw error;
  }
}

/** Where a link leads; null for what is none, or cannot be seen. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isErrno(error, 'EINVAL', ...UNREACHABLE)) return null;
    throw error;
  }
}

/** As many links on one path as Linux follows. */
const LINK_LIMIT = 40;

/**
 * The places that decide what an absolute path leads to: each link on the way, each directory that `..` leaves, and its
 * end. The directories in which they lie are real paths.
 */
export function placesOf(path: string): readonly string[] {
  const places: string[] = [];
  let at = '/';
  let links = 0;
  for (let names = path.split('/'); names.length > 0; ) {
    const [name = '', ...others] = names;
    const entry = join(at, name);
    const target = links < LINK_LIMIT ? targetOf(entry) : null;
    if (target === null) {
      if (name === '..') places.push(at);
      at = entry;
      names = others;
    } else {
      links += 1;
      places.push(entry);
      if (isAbsolute(target)) at = '/';
      names = [...target.split('/'), ...others];
    }
  }
  return [...places, withoutLinks(at)];
}
