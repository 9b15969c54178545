import { dirname, join } from 'node:path';
import { isSessionId, parseTurnNumber, type SessionId } from '../core/ids.ts';
import { discard, makeDirs, publishName, removeTree, rename } from './files.ts';
import { seenDir } from './layout.ts';
import { entriesOf, unlessDamaged } from './read-file.ts';

/*
 * Seen marks: for each caller the newest turn of each session whose end it has seen, as an empty file
 * `seen/<caller>/<store id>/<id>.<turn>` in the state directory. A list needs one look at one directory.
 */

const LONGEST_CALLER = 64;

/** The directory of a caller's marks of a store. A client of MCP names itself: its name cannot lead elsewhere. */
export function marksDir(state: string, source: string, storeId: string): string {
  const caller = source
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .slice(0, LONGEST_CALLER);
  return join(seenDir(state), caller, storeId);
}

/** Directories of which one changes with any mark of a caller in a store: those of the marks may not be there yet. */
export function marksPlaces(state: string, source: string, storeId: string): readonly string[] {
  const marks = marksDir(state, source, storeId);
  return [state, seenDir(state), dirname(marks), marks];
}

/** The marks in a directory, whatever else is in it. @throws DamagedRecord when it may not be read */
function marksIn(directory: string): readonly { id: SessionId; turn: number; path: string }[] {
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
  // A later entry of a map replaces an earlier one.
  return marks && new Map(marks.toSorted((a, b) => a.turn - b.turn).map(({ id, turn }) => [id, turn]));
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

/** Moves the marks of a session to where another store has its own. */
export function moveMarks(state: string, id: SessionId, fromStore: string, toStore: string): void {
  for (const { name } of unlessDamaged(() => entriesOf(seenDir(state))) ?? []) {
    const [from, to] = [fromStore, toStore].map((store) => join(seenDir(state), name, store)) as [
      string,
      string,
    ];
    for (const mark of unlessDamaged(() => marksIn(from)) ?? []) {
      if (mark.id !== id) continue;
      makeDirs(to);
      rename(mark.path, join(to, `${id}.${mark.turn}`));
    }
  }
}

/** Removes the marks that any caller has of sessions that are gone. Never throws: the next `clean` finds what stays. */
export function discardMarks(state: string, storeId: string, isGone: (id: SessionId) => boolean): void {
  try {
    for (const { name } of entriesOf(seenDir(state))) {
      const marks = unlessDamaged(() => marksIn(join(seenDir(state), name, storeId))) ?? [];
      for (const { id, path } of marks) if (isGone(id)) discard(path);
    }
  } catch {
    return;
  }
}

/** Removes the marks that any caller has of a store that is gone. */
export function discardAllMarks(state: string, storeId: string): void {
  for (const { name } of unlessDamaged(() => entriesOf(seenDir(state))) ?? [])
    discard(join(seenDir(state), name, storeId));
}
