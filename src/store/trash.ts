import { isErrno } from '../core/errors.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import { createFile, discard, flush, makeDir, makeDirs, removeTree, rename } from './files.ts';
import * as layout from './layout.ts';
import { giveUpName } from './names.ts';
import { entriesOf, readText, unlessDamaged } from './read-file.ts';
import { encode, parse, type TrashedRecord } from './records.ts';
import { isTombstone, listTurns } from './sessions.ts';

/*
 * trash/<id>/ is what was removed of a session and exists nowhere else. It looks like a small store: `sessions/<id>/` and
 * `trees/<id>.json`, beside `removed.json`, which says what was where. The worktree itself lies beside where it was, as it
 * cannot be renamed to another file system. Each step leaves what the next command can go on with.
 */

const recordFile = (session: layout.SessionDir): string => `${layout.trashedDir(session)}/removed.json`;

/** A session as it lies in the trash. */
const inTrash = (session: layout.SessionDir): layout.SessionDir => ({
  store: { root: layout.trashedDir(session) },
  id: session.id,
});

/** Renames what a command that was killed may have renamed already; whether it was there. */
function move(from: string, to: string): boolean {
  try {
    rename(from, to);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

/** What was removed with this id; null where nothing was. @throws DamagedRecord */
export function readTrashed(session: layout.SessionDir): TrashedRecord | null {
  const text = readText(recordFile(session));
  return text === null ? null : parse.trashed(text);
}

/** The ids of all that is in the trash. */
export function listTrashed(root: string): readonly SessionId[] {
  const entries = unlessDamaged(() => entriesOf(layout.trashDir(root))) ?? [];
  return entries.flatMap(({ name }) => (isSessionId(name) ? [name] : []));
}

/** Records what is about to be moved into the trash, unless a command that was killed has done so; durable. */
export function recordTrashed(session: layout.SessionDir, record: TrashedRecord, unique: string): void {
  const trash = layout.trashDir(session.store.root);
  const building = `${trash}/${layout.BUILDING_PREFIX}${unique}`;
  makeDirs(building);
  try {
    for (const room of [layout.sessionsDir(building), layout.treesDir(building)]) makeDir(room);
    createFile(`${building}/removed.json`, encode(record));
    flush(building);
    rename(building, layout.trashedDir(session));
  } catch (error) {
    discard(building);
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
  flush(trash);
}

/** Moves the records of a session that its caller has claimed with a tombstone into the trash; its names become free. */
export function moveIntoTrash(session: layout.SessionDir, names: readonly string[], unique: string): void {
  const there = inTrash(session);
  // While it is there nobody would see who comes into it.
  discard(layout.untouchedFile(session));
  move(layout.treeFile(session), layout.treeFile(there));
  for (const name of names) giveUpName(session, name, unique);
  move(layout.sessionDir(session), layout.sessionDir(there));
  flush(layout.sessionsDir(there.store.root));
  flush(layout.sessionsDir(session.store.root));
}

/** Moves them back, without the tombstone; whether there was a session. */
export function moveOutOfTrash(session: layout.SessionDir): boolean {
  const there = inTrash(session);
  const { root } = session.store;
  makeDirs(layout.treesDir(root));
  move(layout.treeFile(there), layout.treeFile(session));
  // Of a damaged session nothing more is damaged.
  const last = unlessDamaged(() => listTurns(there).at(-1));
  const turn = typeof last === 'number' ? { ...there, turn: last } : null;
  if (turn !== null && unlessDamaged(() => isTombstone(turn)) === true) removeTree(layout.turnDir(turn));
  const isThere = move(layout.sessionDir(there), layout.sessionDir(session));
  flush(layout.sessionsDir(root));
  return isThere;
}

/** Deletes what is in the trash with this id, for good. */
export function deleteTrashed(session: layout.SessionDir, unique: string): void {
  const doomed = `${layout.trashedDir(session)}.${unique}`;
  if (move(layout.trashedDir(session), doomed)) removeTree(doomed);
}
