import { dirname } from 'node:path';
import { DamagedRecord, isRealDirectory } from './read-file.ts';

/**
 * Makes sure that we write where the path says: every directory from the state directory down to `directory` is a real
 * one. An agent may have put a link in the place of any of them. @throws DamagedRecord
 */
export function requireOwn(root: string, directory: string): void {
  if (directory === root) return;
  requireOwn(root, dirname(directory));
  if (!isRealDirectory(directory)) throw new DamagedRecord(`${directory} is no directory`);
}
