import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../core/ids.ts';
import { flush, makeDirs, removeTree, rename } from './files.ts';
import { BUILDING_PREFIX, sessionDir, sessionsDir, trashDir } from './layout.ts';
import { entriesOf, isForbidden, isRealDirectory, unlessDamaged } from './read-file.ts';
import { unseal } from './seals.ts';

/** The bytes of the regular files at and below a path, as far as it may be read; links are not followed. */
export function treeBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0;
  const entries = unlessDamaged(() => entriesOf(path)) ?? [];
  return entries.reduce((sum, { name }) => sum + treeBytes(join(path, name)), 0);
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

function removeOld(directory: string, nowMs: number, prefix: string): void {
  if (!isRealDirectory(directory)) return;
  for (const { name } of entriesOf(directory)) {
    const path = join(directory, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!name.startsWith(prefix) || stat === undefined || nowMs - stat.mtimeMs <= 3_600_000) continue;
    try {
      removeTree(path);
    } catch (error) {
      // An agent can close a directory of its session to us: that must not end every `clean`.
      if (!isForbidden(error)) throw error;
    }
  }
}

/** Debris that a killed command left more than an hour ago: sessions half built, and trash half emptied. */
export function removeDebris(root: string, nowMs: number): void {
  removeOld(sessionsDir(root), nowMs, BUILDING_PREFIX);
  removeOld(trashDir(root), nowMs, '');
}
