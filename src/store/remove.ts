import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { toZwarmError, ZwarmError } from '../core/errors.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import { flush, removeTree, rename } from './files.ts';
import * as layout from './layout.ts';
import { giveUpName } from './names.ts';
import { entriesOf, unlessDamaged } from './read-file.ts';
import { listSessionIds, listTurns } from './sessions.ts';

/** So many files of a tree are counted: more would be felt. */
export const MOST_FILES = 20_000;

/**
 * The bytes of the regular files at and below a path, as far as it may be read; links are not followed. Null where there are
 * more than `most` files.
 */
export function treeBytes(path: string): number;
export function treeBytes(path: string, most: number): number | null;
export function treeBytes(path: string, most = Number.POSITIVE_INFINITY): number | null {
  let bytes = 0;
  const todo = [path];
  for (let seen = 0; todo.length > 0; seen += 1) {
    if (seen > most) return null;
    const at = todo.pop() ?? path;
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isFile()) bytes += stat.size;
    if (!stat?.isDirectory()) continue;
    for (const { name } of unlessDamaged(() => entriesOf(at)) ?? []) todo.push(join(at, name));
  }
  return bytes;
}

/**
 * Removes a session that its caller has claimed with a tombstone: its names become free, it disappears by one rename, then
 * its files are deleted. @throws ZwarmError `io` where files of it are left
 */
export function removeSession(session: layout.SessionDir, names: readonly string[], unique: string): void {
  const { root } = session.store;
  const doomed = join(layout.trashDir(root), `${session.id}.${unique}`);
  for (const name of names) giveUpName(session, name, unique);
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
}

/** What a command that was killed has left: something that it was building, or a session that it was deleting. */
export interface Leftover {
  readonly kind: 'building' | 'trash' | 'new tree' | 'stray tree';
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
      layout.snapshotsDir(session),
      ...turns.map((turn) => layout.turnDir({ ...session, turn })),
    ];
  };
  // The directories in which commands build what they rename into place.
  const ofStore = [
    ...[dirname(root), root, layout.namesDir(root), layout.sessionsDir(root), layout.treesDir(root)],
  ];
  const building = [...ofStore, ...listSessionIds(root).flatMap(placesOf)];
  return [
    ...building.flatMap((directory) => oldIn(directory, 'building', layout.BUILDING_PREFIX)),
    // What has the bare name of a session is in the trash until its time has come.
    ...oldIn(layout.trashDir(root), 'trash', '').filter(({ path }) => !isSessionId(basename(path))),
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
