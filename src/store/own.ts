import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { openUp } from './files.ts';
import { DamagedRecord, lookAt } from './read-file.ts';

/**
 * Makes sure that we write where the path says: every directory from the state directory down to `directory` is a real
 * one. An agent may have put a link in the place of any of them. @throws DamagedRecord
 */
export function requireOwn(root: string, directory: string): void {
  for (const path of between(root, directory)) requireDirectory(path);
}

/**
 * The same for what must be written whatever an agent has done: a directory that it has closed to us is opened again.
 * @throws DamagedRecord
 */
export function reopenOwn(root: string, directory: string): void {
  for (const path of between(root, directory)) {
    if ((requireDirectory(path) & constants.S_IRWXU) !== constants.S_IRWXU) openUp(path);
  }
}

function between(root: string, directory: string): string[] {
  return directory === root ? [] : [...between(root, dirname(directory)), directory];
}

/** The mode of a directory that is none but by its own name. */
function requireDirectory(path: string): number {
  const stat = lookAt(path);
  if (!stat?.isDirectory()) throw new DamagedRecord(`${path} is no directory`);
  return stat.mode;
}
