import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { toZwarmError, ZwarmError } from '../core/errors.ts';
import { flush, removeTree, rename } from './files.ts';
import { type SessionDir, sessionDir, sessionsDir, trashDir } from './layout.ts';
import { giveUpName } from './names.ts';
import { entriesOf, unlessDamaged } from './read-file.ts';

/** The bytes of the regular files at and below a path, as far as it may be read; links are not followed. */
export function treeBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0;
  const entries = unlessDamaged(() => entriesOf(path)) ?? [];
  return entries.reduce((sum, { name }) => sum + treeBytes(join(path, name)), 0);
}

/**
 * Removes a session whose next turn number its caller has claimed with a tombstone: its name becomes free, it disappears
 * by one rename, then its files are deleted. Returns the bytes that were freed. `unique` keeps two removers apart.
 * @throws ZwarmError `io` where the session is gone and files of it are left
 */
export function removeSession(session: SessionDir, name: string | null, unique: string): number {
  const { root } = session.store;
  const doomed = join(trashDir(root), `${session.id}.${unique}`);
  const bytes = treeBytes(sessionDir(session));
  if (name !== null) giveUpName(session, name, unique);
  rename(sessionDir(session), doomed);
  flush(sessionsDir(root));
  try {
    removeTree(doomed);
  } catch (error) {
    const why = toZwarmError(error).message;
    throw new ZwarmError(
      'io',
      `${session.id} is removed, but its files in ${doomed} are still there: ${why}`,
      'zwarm clean deletes them once they are an hour old',
      error,
    );
  }
  return bytes;
}
