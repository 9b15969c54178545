import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../core/errors.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import { removeTree } from './files.ts';
import { BUILDING_PREFIX, sessionDir, sessionsDir, trashDir, turnDir, turnsDir } from './layout.ts';
import { entriesOf, isRealDirectory, unlessDamaged } from './read-file.ts';
import { sealsOf } from './seals.ts';
import { hasSession, listSessionIds, listTurns } from './sessions.ts';

/**
 * Something that a command which was killed has left behind: a file or directory that it was building, a session that
 * it was deleting, or the seal of a session that is gone.
 */
export interface Leftover {
  readonly kind: 'building' | 'trash' | 'seal';
  readonly path: string;
}

/** Whatever is younger may belong to a command that is at work. */
const OLD_MS = 3_600_000;

/** By the time of its last change, which nobody can set: an agent can give a file any other time. */
function isOld(path: string, nowMs: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && nowMs - stat.ctimeMs > OLD_MS;
}

/** The old entries of a directory that begin with `prefix`; none where it is a link, or closed to us. */
function oldEntries(directory: string, prefix: string, nowMs: number): string[] {
  const entries = unlessDamaged(() => (isRealDirectory(directory) ? entriesOf(directory) : [])) ?? [];
  return entries
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name }) => join(directory, name))
    .filter((path) => isOld(path, nowMs));
}

/** The directories in which commands build what they rename into place. */
function buildingPlaces(root: string): string[] {
  const ofSession = (id: SessionId): string[] => {
    if (unlessDamaged(() => isRealDirectory(sessionDir(root, id))) !== true) return [];
    const turns = unlessDamaged(() => listTurns(root, id)) ?? [];
    return [sessionDir(root, id), turnsDir(root, id), ...turns.map((turn) => turnDir(root, id, turn))];
  };
  return [root, sessionsDir(root), ...listSessionIds(root).flatMap(ofSession)];
}

/**
 * All leftovers of a state directory that are older than an hour. Follows no link.
 * @throws the error of the file system where `sessions` itself is closed to us
 */
export function findLeftovers(root: string, sealsDir: string, nowMs: number): readonly Leftover[] {
  const of = (kind: Leftover['kind'], paths: readonly string[]): Leftover[] =>
    paths.map((path) => ({ kind, path }));
  const building = buildingPlaces(root).flatMap((place) => oldEntries(place, BUILDING_PREFIX, nowMs));
  const seals = entriesOf(sealsOf(sealsDir, root))
    .filter(({ name }) => isSessionId(name) && !hasSession(root, name))
    .map(({ name }) => join(sealsOf(sealsDir, root), name))
    .filter((path) => isOld(path, nowMs));
  return [
    ...of('building', building),
    ...of('trash', oldEntries(trashDir(root), '', nowMs)),
    ...of('seal', seals),
  ];
}

/** Removes all leftovers that are older than an hour, and returns those that could not be removed. */
export function removeLeftovers(root: string, sealsDir: string, nowMs: number): readonly Leftover[] {
  return findLeftovers(root, sealsDir, nowMs).filter(({ path }) => {
    try {
      removeTree(path);
      return false;
    } catch (error) {
      // An agent can close a directory of its session to us, or make it too deep: that must not keep the others.
      if (errnoOf(error) === null) throw error;
      return true;
    }
  });
}
