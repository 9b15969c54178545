import { dirname } from 'node:path';
import { isSessionId, type SessionId } from '../core/ids.ts';
import {
  discard,
  flush,
  makeDirs,
  publishName,
  publishOnce,
  removeTree,
  rename,
  replaceFile,
} from './files.ts';
import {
  BUILDING_PREFIX,
  newTreeFile,
  type SessionDir,
  treeFile,
  treesDir,
  untouchedFile,
} from './layout.ts';
import { entriesOf, lookAt, readText, unlessDamaged } from './read-file.ts';
import { encode, parse, type TreeRecord } from './records.ts';

/*
 * trees/<id>.json names a worktree from before it is made until it is given to the user, whatever becomes of its session.
 * While it is being made the name ends in `.making`: only such a worktree may be taken back by another command.
 */

/** Records that a worktree is going to be made for a session; durable when this returns. */
export function recordNewTree(session: SessionDir, tree: TreeRecord): void {
  const { root } = session.store;
  makeDirs(treesDir(root));
  publishOnce(newTreeFile(session), encode(tree), `${treesDir(root)}/${BUILDING_PREFIX}${session.id}`);
  flush(treesDir(root));
}

/** Records of a worktree that is being made that no agent has been able to write in it. */
export function recordUntouched(session: SessionDir): void {
  publishName(untouchedFile(session));
}

/** Records that one is: durable when this returns. */
export function recordTouched(session: SessionDir): void {
  if (!isUntouched(session)) return;
  removeTree(untouchedFile(session));
  flush(treesDir(session.store.root));
}

/** Whether no agent has been able to write in the worktree of a session; false of one for which that does not matter. */
export const isUntouched = (session: SessionDir): boolean => lookAt(untouchedFile(session)) !== null;

/** The sessions whose worktrees are so. */
export function listUntouched(root: string): readonly SessionId[] {
  return (unlessDamaged(() => entriesOf(treesDir(root))) ?? []).flatMap(({ name }) => {
    const [id = '', end] = name.split('.');
    return end === 'untouched' && isSessionId(id) ? [id] : [];
  });
}

/** Records that the one at a path is going to get what an agent has changed elsewhere. */
export function recordTouchedAt(root: string, path: string): void {
  for (const id of listUntouched(root)) {
    const session = { store: { root }, id };
    if (knownTree(session)?.path === path) recordTouched(session);
  }
}

/** Records that it is made: from here on nobody takes it back. */
export function recordTree(session: SessionDir): void {
  rename(newTreeFile(session), treeFile(session));
  flush(treesDir(session.store.root));
}

/** Forgets the worktree of a session. */
export function forgetTree(session: SessionDir): void {
  discard(untouchedFile(session));
  discard(newTreeFile(session));
  discard(treeFile(session));
}

function read(path: string): TreeRecord | null {
  const text = unlessDamaged(() => readText(path));
  return text === null ? null : unlessDamaged(() => parse.tree(text));
}

/** Whether a store knows any worktree, or did. */
export const hasTrees = (root: string): boolean => lookAt(treesDir(root)) !== null;

/** A worktree that a store knows. */
export interface KnownTree extends TreeRecord {
  /** Its session, which may be gone. */
  readonly id: SessionId;
  readonly isMade: boolean;
}

/** The worktree that was made for a session; null where there is none, or its record cannot be read. */
export function knownTree(session: SessionDir): KnownTree | null {
  const { id } = session;
  const made = read(treeFile(session));
  if (made !== null) return { ...made, id, isMade: true };
  const begun = read(newTreeFile(session));
  return begun && { ...begun, id, isMade: false };
}

/**
 * Moves a worktree on its file system, and has git know it there: first the files, then what its git directory says of them.
 * Whatever was done of that by a command that was killed is not done again.
 */
export function moveTree(gitDir: string, from: string, to: string, unique: string): void {
  if (lookAt(to) === null) {
    makeDirs(dirname(to));
    rename(from, to);
    flush(dirname(to));
  }
  if (lookAt(gitDir) === null) return;
  replaceFile(`${gitDir}/gitdir`, `${to}/.git\n`, `${gitDir}/${BUILDING_PREFIX}${unique}`, 0o644);
}

/** The worktrees that a store knows; what cannot be read does not count. */
export function listTrees(root: string): readonly KnownTree[] {
  return (unlessDamaged(() => entriesOf(treesDir(root))) ?? []).flatMap(({ name }) => {
    const [, id = '', end] = /^(\w+)\.(json|making)$/.exec(name) ?? [];
    if (!isSessionId(id)) return [];
    const tree = read(`${treesDir(root)}/${name}`);
    return tree === null ? [] : [{ ...tree, id, isMade: end === 'json' }];
  });
}
