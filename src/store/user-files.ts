import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { flush, makeDirs, replaceFile } from './files.ts';
import { BUILDING_PREFIX } from './layout.ts';

/**
 * Puts a whole file into a place of the user's own, with the directories above it, whatever was there before. A link is
 * followed: what it leads to is replaced. `unique` keeps the temporary files of two commands apart.
 */
export function putUserFile(path: string, content: string, unique: string): void {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const target = isLink ? realpathSync(path) : path;
  makeDirs(dirname(target));
  replaceFile(target, content, join(dirname(target), `${BUILDING_PREFIX}${unique}.${basename(target)}`));
  flush(dirname(target));
}
