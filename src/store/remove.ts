import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../core/ids.ts';
import { flush, makeDirs, removeTree, rename } from './files.ts';
import { BUILDING_PREFIX, sessionDir, sessionsDir, trashDir } from './layout.ts';
import { entriesOf, isRealDirectory } from './read-file.ts';
import { unseal } from './seals.ts';

/** The bytes of the regular files at and below a path; links are not followed. */
export function treeBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0;
  return entriesOf(path).reduce((sum, { name }) => sum + treeBytes(join(path, name)), 0);
}

/**
 * Removes a session whose next turn number its caller has claimed with a tombstone: it disappears by one rename, then
 * its files are deleted. Returns the bytes that were freed. `unique` keeps two removers apart.
 */
export function removeSession(root: string, sealsDir: string, id: SessionId, unique: string): number {
  const doomed = join(trashDir(root), `${id}.${unique}`);
  const bytes = treeBytes(sessionDir(root, id));
  makeDirs(trashDir(root));
  rename(sessionDir(root, id), doomed);
  flush(sessionsDir(root));
  unseal(sealsDir, root, id);
  removeTree(doomed);
  return bytes;
}

/** Debris that a killed command left more than an hour ago: sessions half built, and trash half emptied. */
export function removeDebris(root: string, nowMs: number): void {
  const old = (path: string): boolean => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat !== undefined && nowMs - stat.mtimeMs > 3_600_000;
  };
  if (isRealDirectory(sessionsDir(root))) {
    for (const { name } of entriesOf(sessionsDir(root))) {
      const path = join(sessionsDir(root), name);
      if (name.startsWith(BUILDING_PREFIX) && old(path)) removeTree(path);
    }
  }
  if (isRealDirectory(trashDir(root))) {
    for (const { name } of entriesOf(trashDir(root))) {
      const path = join(trashDir(root), name);
      if (old(path)) removeTree(path);
    }
  }
}
