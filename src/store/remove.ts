import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toZwarmError, ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { flush, removeTree, rename } from './files.ts';
import {
  BUILDING_PREFIX,
  namesDir,
  type SessionDir,
  sessionDir,
  sessionsDir,
  trashDir,
  turnDir,
  turnsDir,
} from './layout.ts';
import { giveUpName } from './names.ts';
import { entriesOf, unlessDamaged } from './read-file.ts';
import { listSessionIds, listTurns } from './sessions.ts';

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

/** What a command that was killed has left: something that it was building, or a session that it was deleting. */
export interface Leftover {
  readonly kind: 'building' | 'trash';
  readonly path: string;
}

/** Whatever is younger may belong to a command that is at work. */
const OLD_MS = 3_600_000;

/** All leftovers of a store that are older than an hour. */
export function findLeftovers(root: string, nowMs: number): readonly Leftover[] {
  const oldIn = (directory: string, kind: Leftover['kind'], prefix: string): readonly Leftover[] => {
    const entries = unlessDamaged(() => entriesOf(directory)) ?? [];
    return entries.flatMap(({ name }) => {
      const path = join(directory, name);
      const stat = name.startsWith(prefix) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
      return stat !== undefined && nowMs - stat.ctimeMs > OLD_MS ? [{ kind, path }] : [];
    });
  };
  const placesOf = (id: SessionId): readonly string[] => {
    const session = { store: { root }, id };
    const turns = unlessDamaged(() => listTurns(session)) ?? [];
    return [sessionDir(session), turnsDir(session), ...turns.map((turn) => turnDir({ ...session, turn }))];
  };
  // The directories in which commands build what they rename into place.
  const ofStore = [dirname(root), root, namesDir(root), sessionsDir(root)];
  const building = [...ofStore, ...listSessionIds(root).flatMap(placesOf)];
  return [
    ...building.flatMap((directory) => oldIn(directory, 'building', BUILDING_PREFIX)),
    ...oldIn(trashDir(root), 'trash', ''),
  ];
}

/** Removes all leftovers that are older than an hour, as far as that can be done. */
export function removeLeftovers(root: string, nowMs: number): void {
  for (const { path } of findLeftovers(root, nowMs)) {
    try {
      removeTree(path);
    } catch (error) {
      if (!(error instanceof ZwarmError)) throw error;
    }
  }
}
