import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { flush, makeDirs, removeTree, rename } from './files.ts';
import { sessionDir, sessionsDir, trashDir } from './layout.ts';
import { entriesOf, isForbidden, unlessDamaged } from './read-file.ts';
import { unseal } from './seals.ts';

/** An agent can make a tree deeper than a path may be long (PATH_MAX, 4096 bytes on Linux, 1024 on macOS). */
const DEEP = 800;

/** The bytes of the regular files at and below a path, as far as it may be read; links are not followed. */
export function treeBytes(path: string): number {
  try {
    return bytesBelow(path);
  } catch (error) {
    if (errnoOf(error) === 'ENAMETOOLONG' || isForbidden(error)) return 0;
    throw error;
  }
}

function bytesBelow(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0;
  const entries = unlessDamaged(() => entriesOf(path)) ?? [];
  return entries.reduce((sum, { name }) => sum + treeBytes(join(path, name)), 0);
}

/** The first directory found below `path` whose own path is so much longer, or null. */
function deepDirectory(path: string, limit = path.length + DEEP): string | null {
  if (path.length >= limit) return path;
  for (const { name, directory } of unlessDamaged(() => entriesOf(path)) ?? []) {
    const found = directory ? deepDirectory(join(path, name), limit) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Removes a tree, however deep: what no path reaches is first moved up beside it. */
function removeDeepTree(path: string): void {
  const trees = [path];
  for (let moved = 0; trees.length > 0; ) {
    const tree = trees.at(-1) ?? path;
    try {
      removeTree(tree);
      trees.pop();
    } catch (error) {
      const deep = errnoOf(error) === 'ENAMETOOLONG' ? deepDirectory(tree) : null;
      if (deep === null) throw error;
      moved += 1;
      trees.push(`${path}.${moved}`);
      rename(deep, `${path}.${moved}`);
    }
  }
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
  removeDeepTree(doomed);
  return bytes;
}
