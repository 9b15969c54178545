import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toZwarmError, ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { flush, removeTree, rename } from './files.ts';
import * as layout from './layout.ts';
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
 * Removes a session that its caller has claimed with a tombstone: its name becomes free, it disappears by one rename, then
 * its files are deleted. Returns the bytes freed. @throws ZwarmError `io` where files of it are left
 */
export function removeSession(session: layout.SessionDir, name: string | null, unique: string): number {
  const { root } = session.store;
  const doomed = join(layout.trashDir(root), `${session.id}.${unique}`);
  const bytes = treeBytes(layout.sessionDir(session));
  if (name !== null) giveUpName(session, name, unique);
  rename(layout.sessionDir(session), doomed);
  flush(layout.sessionsDir(root));
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
    return [
      layout.sessionDir(session),
      layout.turnsDir(session),
      ...turns.map((turn) => layout.turnDir({ ...session, turn })),
    ];
  };
  // The directories in which commands build what they rename into place.
  const ofStore = [dirname(root), root, layout.namesDir(root), layout.sessionsDir(root)];
  const building = [...ofStore, ...listSessionIds(root).flatMap(placesOf)];
  return [
    ...building.flatMap((directory) => oldIn(directory, 'building', layout.BUILDING_PREFIX)),
    ...oldIn(layout.trashDir(root), 'trash', ''),
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
