import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../core/errors.ts';
import { windowDir, windowLink } from './layout.ts';
import { entriesOf, lookAt, unlessDamaged } from './read-file.ts';

/*
 * The window of a checkout, `.zwarm/sessions`: a link through which people and their scripts look into the store. zwarm
 * itself never reads through it, since an agent that may write in the checkout can exchange it.
 */

/** Where the window of a checkout leads, or null where there is no link. */
export function windowTarget(checkout: string): string | null {
  try {
    return readlinkSync(windowLink(checkout));
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EINVAL', 'EACCES', 'ELOOP')) return null;
    throw error;
  }
}

/** Whether `.zwarm/sessions` is a link, an empty directory, or not there. */
function isReplaceable(checkout: string): boolean {
  const stat = lookAt(windowLink(checkout));
  if (stat === null || stat.isSymbolicLink()) return true;
  return stat.isDirectory() && entriesOf(windowLink(checkout)).length === 0;
}

type WindowState = 'open' | 'free' | 'occupied';

/** Whether the window of a checkout leads to these sessions, may be made, or something of somebody's own is in its place. */
export function windowStateOf(checkout: string, sessions: string): WindowState {
  if (windowTarget(checkout) === sessions) return 'open';
  const window = lstatSync(windowDir(checkout), { throwIfNoEntry: false });
  if (window === undefined) return 'free';
  const isFree = window.isDirectory() && unlessDamaged(() => isReplaceable(checkout)) === true;
  return isFree ? 'free' : 'occupied';
}

/** Whether a checkout holds sessions of an early zwarm, which kept them in the project itself. */
export function hasOldStore(checkout: string): boolean {
  const isOld = (): boolean =>
    lookAt(join(windowDir(checkout), 'format'))?.isFile() === true &&
    lookAt(windowLink(checkout))?.isDirectory() === true;
  // That of another user is closed to us.
  return unlessDamaged(isOld) ?? false;
}
