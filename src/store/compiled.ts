import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../core/errors.ts';
import { createFile, discard, rename } from './files.ts';

const REASON = `Nothing that Node has compiled of zwarm is kept here: an agent was allowed to write in this directory (reachable_state).
Delete this file when no agent is, and the next command keeps it again.
`;

/**
 * Puts a file in the place of a directory of compiled code (`compiledDir`), so that nothing is kept or taken there: unless
 * the state directory is not there, or not this user's to write. `aside` is a name beside it that nobody uses.
 */
export function keepNothingCompiled(path: string, uid: number, aside: string): void {
  try {
    if (statSync(dirname(path)).uid === uid) createFile(path, REASON);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS')) return;
    if (!isErrno(error, 'EEXIST')) throw error;
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) return;
    moveAway(path, aside);
    keepNothingCompiled(path, uid, aside);
  }
}

/** A command that ends now may write there once more: what it wrote goes, too. */
function moveAway(path: string, aside: string): void {
  try {
    rename(path, aside);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
  discard(aside);
}
