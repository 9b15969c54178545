import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { removeTree } from './files.ts';
import { BUILDING_PREFIX, namesDir, sessionDir, sessionsDir, trashDir, turnDir, turnsDir } from './layout.ts';
import { entriesOf, unlessDamaged } from './read-file.ts';
import { listSessionIds, listTurns } from './sessions.ts';

/**
 * Something that a command which was killed has left behind: a file or directory that it was building, or a session that
 * it was deleting.
 */
export interface Leftover {
  readonly kind: 'building' | 'trash';
  readonly path: string;
}

/** Whatever is younger may belong to a command that is at work. */
const OLD_MS = 3_600_000;

function isOld(path: string, nowMs: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && nowMs - stat.ctimeMs > OLD_MS;
}

/** The old entries of a directory that begin with `prefix`. */
function oldEntries(directory: string, prefix: string, nowMs: number): string[] {
  const entries = unlessDamaged(() => entriesOf(directory)) ?? [];
  return entries
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name }) => join(directory, name))
    .filter((path) => isOld(path, nowMs));
}

/** The directories in which commands build what they rename into place. */
function buildingPlaces(root: string): string[] {
  const ofSession = (id: SessionId): string[] => {
    const session = { store: { root }, id };
    const turns = unlessDamaged(() => listTurns(session)) ?? [];
    return [sessionDir(session), turnsDir(session), ...turns.map((turn) => turnDir({ ...session, turn }))];
  };
  return [dirname(root), root, namesDir(root), sessionsDir(root), ...listSessionIds(root).flatMap(ofSession)];
}

/** All leftovers of a store that are older than an hour. */
export function findLeftovers(root: string, nowMs: number): readonly Leftover[] {
  const of = (kind: Leftover['kind'], paths: readonly string[]): Leftover[] =>
    paths.map((path) => ({ kind, path }));
  const building = buildingPlaces(root).flatMap((place) => oldEntries(place, BUILDING_PREFIX, nowMs));
  return [...of('building', building), ...of('trash', oldEntries(trashDir(root), '', nowMs))];
}

/** Removes all leftovers that are older than an hour, and returns those that could not be removed. */
export function removeLeftovers(root: string, nowMs: number): readonly Leftover[] {
  return findLeftovers(root, nowMs).filter(({ path }) => {
    try {
      removeTree(path);
      return false;
    } catch (error) {
      if (!(error instanceof ZwarmError)) throw error;
      return true;
    }
  });
}
