import type { SessionId } from '../core/ids.ts';
import { discardEmpty, flush, makeDirs, removeTree, rename } from './files.ts';
import * as layout from './layout.ts';
import { holderOf, linksIn, takeName } from './names.ts';
import { lookAt } from './read-file.ts';
import { discardAllMarks, moveMarks } from './seen.ts';
import { hasSession, listSessionIds } from './sessions.ts';
import { listTrashed } from './trash.ts';
import { listTrees } from './trees.ts';

/** A store: its directory, and the random id by which seen marks name it. */
interface Side {
  readonly root: string;
  readonly id: string;
}

/** A name, or a key, of a session. */
interface NameOf {
  readonly id: SessionId;
  readonly name: string;
}

/** What became of the sessions of a store that was merged into another. */
export interface Merged {
  /** Names that sessions have lost, as others have them there. */
  readonly dropped: readonly NameOf[];
  /** Sessions that stay where they are: there is one with the same id. */
  readonly kept: readonly SessionId[];
}

/** Renames a file or directory to where nothing is; one that is not there stays away. */
function moveIfThere(from: string, to: string): void {
  if (lookAt(from) !== null && lookAt(to) === null) rename(from, to);
}

/**
 * Moves the sessions of a store into another one of the same state directory, one by one, with their names, trees, seen marks
 * and what is in the trash, and removes what is left of it. What a killed command has begun, the next one goes on with.
 */
export function mergeStore(from: Side, to: Side, unique: string): Merged {
  const merged = { kept: [] as SessionId[], dropped: [] as NameOf[] };
  const state = layout.stateOf(to.root);
  const pairOf = (id: SessionId) =>
    [
      { store: from, id },
      { store: to, id },
    ] as const;
  for (const room of [layout.treesDir, layout.trashDir]) makeDirs(room(to.root));
  const links = linksIn(from.root);
  for (const id of listSessionIds(from.root)) {
    const [old, now] = pairOf(id);
    if (hasSession(now)) {
      merged.kept.push(id);
      continue;
    }
    // First: it has them when it appears.
    for (const { name } of links.filter((link) => link.id === id)) {
      if (holderOf(to.root, name) === null) takeName(now, name);
      else if (holderOf(to.root, name) !== id) merged.dropped.push({ id, name });
    }
    moveMarks(state, id, from.id, to.id);
    rename(layout.sessionDir(old), layout.sessionDir(now));
  }
  const isKept = (id: SessionId): boolean => merged.kept.includes(id);
  // Also those of sessions that are gone.
  for (const { id } of listTrees(from.root)) {
    if (isKept(id)) continue;
    const [old, now] = pairOf(id);
    for (const file of [layout.untouchedFile, layout.treeFile, layout.newTreeFile])
      moveIfThere(file(old), file(now));
  }
  for (const id of listTrashed(from.root)) {
    const [old, now] = pairOf(id);
    moveIfThere(layout.trashedDir(old), layout.trashedDir(now));
  }
  for (const room of [layout.sessionsDir, layout.namesDir, layout.treesDir, layout.trashDir])
    flush(room(to.root));
  const sessions = layout.sessionsDir(from.root);
  if (listTrashed(from.root).length > 0 || (!discardEmpty(sessions) && lookAt(sessions) !== null))
    return merged;
  // Nobody can make a session there any more, and none is there.
  const doomed = `${layout.projectsDir(state)}/${layout.BUILDING_PREFIX}${unique}`;
  rename(from.root, doomed);
  flush(layout.projectsDir(state));
  removeTree(doomed);
  discardAllMarks(state, from.id);
  return merged;
}
