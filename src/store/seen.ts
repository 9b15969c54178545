import { join } from 'node:path';
import { isSessionId, parseTurnNumber, type SessionId } from '../core/ids.ts';
import { discard, makeDirs, publishName, removeTree } from './files.ts';
import { entriesOf, unlessDamaged } from './read-file.ts';

/*
 * Seen marks: for each caller the newest turn of each session whose end it has seen, as an empty file
 * `<caller>/<state directory>/<id>.<turn>` in the user's own state directory. A list needs one look at one directory.
 */

const LONGEST_CALLER = 64;

/**
 * What a state directory is called here: the FNV-1a hash of its path, 16 hexadecimal digits. No digest as for its seals:
 * to load what makes one takes as long as the rest of a list, and nobody gains by two that share their marks.
 */
function nameOf(root: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(root)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

/** The directory of a caller's marks of a state directory. A client of MCP names itself: no path comes of it. */
export function marksDir(seenDir: string, source: string, root: string): string {
  const caller = source
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .slice(0, LONGEST_CALLER);
  return join(seenDir, caller, nameOf(root));
}

interface Mark {
  readonly id: SessionId;
  readonly turn: number;
  readonly path: string;
}

/** The marks in a directory; whatever else is there is none of ours. @throws DamagedRecord when it may not be read */
function marksIn(directory: string): readonly Mark[] {
  return entriesOf(directory).flatMap(({ name }) => {
    const [id = '', number = '', ...more] = name.split('.');
    const turn = parseTurnNumber(number);
    return isSessionId(id) && turn !== null && more.length === 0
      ? [{ id, turn, path: join(directory, name) }]
      : [];
  });
}

/** The newest turn of each session whose end was seen, or null when the marks may not be read. */
export function readMarks(directory: string): ReadonlyMap<SessionId, number> | null {
  const marks = unlessDamaged(() => marksIn(directory));
  if (marks === null) return null;
  const newest = new Map<SessionId, number>();
  for (const { id, turn } of marks) newest.set(id, Math.max(turn, newest.get(id) ?? 0));
  return newest;
}

/** Marks the end of a turn as seen, unless a newer one is. @throws the error of the file system */
export function writeMark(directory: string, id: SessionId, turn: number): void {
  const older = marksIn(directory).filter((mark) => mark.id === id);
  if (older.some((mark) => mark.turn >= turn)) return;
  makeDirs(directory);
  publishName(join(directory, `${id}.${turn}`));
  // Only now: at every moment there is a mark.
  for (const { path } of older) removeTree(path);
}

/**
 * Removes the marks that any caller has of sessions that are gone. Never throws: a mark that stays says nothing of any
 * other session, and the next `clean` finds it.
 */
export function discardMarks(seenDir: string, root: string, isGone: (id: SessionId) => boolean): void {
  try {
    for (const { name } of entriesOf(seenDir)) {
      const marks = unlessDamaged(() => marksIn(join(seenDir, name, nameOf(root)))) ?? [];
      for (const { id, path } of marks) if (isGone(id)) discard(path);
    }
  } catch {
    return;
  }
}
