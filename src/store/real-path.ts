import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../core/errors.ts';

/** The real path of a directory, or null where there is none. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ELOOP') return null;
    throw error;
  }
}

/** What a path would be with all links resolved, also where the end of it does not exist yet. */
export function realPathToBe(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const above = dirname(path);
    if (errnoOf(error) !== 'ENOENT' || above === path) throw error;
    return join(realPathToBe(above), path.slice(above === '/' ? 1 : above.length + 1));
  }
}
