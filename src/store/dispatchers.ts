import { join } from 'node:path';
import { makeDirs, publishName, removeTree } from './files.ts';
import { dispatchersDir } from './layout.ts';
import { entriesOf, lookAt } from './read-file.ts';

/*
 * Who starts what waits in a store: one process at a time, a generation of `dispatchers/`. Whoever wants that to be looked at
 * leaves a file in `dispatchers/wishes/`. It is removed after a look that began later, so no wish is lost with a process.
 */

const wishesDir = (root: string): string => join(dispatchersDir(root), 'wishes');

/** Wishes that the queue of a store be looked at; its path. */
export function putWish(root: string, unique: string): string {
  makeDirs(wishesDir(root));
  const path = join(wishesDir(root), unique);
  publishName(path);
  return path;
}

/** What is wished. */
export const wishesIn = (root: string): readonly string[] =>
  entriesOf(wishesDir(root)).map(({ name }) => join(wishesDir(root), name));

/** Whether a wish waits to be fulfilled. */
export const isWished = (wish: string): boolean => lookAt(wish) !== null;

/** Says that a wish was fulfilled. */
export const fulfil = (wish: string): void => removeTree(wish);
