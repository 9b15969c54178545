import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
