import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isErrno } from '../core/errors.ts';

/** The real path of a file or directory, or null where there is none, or none that we can reach. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG')) return null;
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
