import { type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { digest } from '../core/digest.ts';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { shellWord } from '../core/shell-word.ts';
import { identityOfDirectory, mayBeThere, standingOf } from './directory-identity.ts';
import { createFile, discard, flush, makeDir, makeDirs, rename, replaceFile } from './files.ts';
import * as layout from './layout.ts';
import { foreignDirectory, type Maker, requireOwnPlace } from './own-place.ts';
import { DamagedRecord, entriesOf, lookAt, readText, unlessDamaged } from './read-file.ts';
import { encode, type ProjectRecord, parse } from './records.ts';

const LONGEST_NAME = 40;

const keyOf = (path: string): string => digest(path).slice(0, 16);

/** The directory of a project's store, there or not: the key says whose it is, the name is for people. */
export function storeDir(state: string, path: string): string {
  const last = ['.git', '.bare'].includes(basename(path)) ? basename(dirname(path)) : basename(path);
  const name = last.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, LONGEST_NAME);
  return join(layout.projectsDir(state), `${name || 'root'}-${keyOf(path)}`);
}

/**
 * Whether a store lies where its record says; where not, a relocation was interrupted: its directory was renamed, and its
 * record was not replaced.
 */
export function liesInPlace(root: string, { path, kept_at }: ProjectRecord): boolean {
  const name = basename(root);
  return name === kept_at || name.endsWith(`-${keyOf(path)}`);
}

/** Whether there is a store at `root`. */
export function hasStore(root: string): boolean {
  return lookAt(root) !== null;
}

/** A store: its directory, and its record or why that cannot be read. */
export interface KnownStore {
  readonly root: string;
  readonly record: ProjectRecord | DamagedRecord;
}

/** A store whose record can be read. */
export interface SoundStore extends KnownStore {
  readonly record: ProjectRecord;
}

/** Whether the record of a store can be read. */
export const isSound = (store: KnownStore): store is SoundStore => !(store.record instanceof DamagedRecord);

/** The store at `root`, or null where there is none. */
export function storeAt(root: string): KnownStore | null {
  return hasStore(root) ? { root, record: recordOf(root) } : null;
}

/** The stores of all projects, in the order of their names; one of a project such as `.dotfiles` begins with a dot, too. */
export function listStores(state: string): readonly KnownStore[] {
  const entries = unlessDamaged(() => entriesOf(layout.projectsDir(state))) ?? [];
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(layout.BUILDING_PREFIX))
    .map(({ name }) => join(layout.projectsDir(state), name))
    .sort()
    .map((root) => ({ root, record: recordOf(root) }));
}

function recordOf(root: string): ProjectRecord | DamagedRecord {
  try {
    const text = readText(layout.projectFile(root));
    return text === null ? new DamagedRecord('project.json is missing') : parse.project(text);
  } catch (error) {
    if (error instanceof DamagedRecord) return error;
    throw error;
  }
}

const ELSEWHERE = ', or choose another directory with --state-dir DIR';

/**
 * Refuses a directory that is there and is not the user's alone to write.
 * @throws ZwarmError `foreign_directory`, `state_dir_unsafe`
 */
export function requirePrivate(directory: string, maker: Maker): void {
  let stat: Stats;
  try {
    stat = statSync(directory);
  } catch (error) {
    // Somebody else may have closed what lies above it.
    if (isErrno(error, 'EACCES')) requireOwnPlace(maker, directory, ELSEWHERE);
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return;
    throw error;
  }
  const refuse = (what: string, hint: string): never => {
    throw new ZwarmError('state_dir_unsafe', `${directory} ${what}`, hint);
  };
  if (!stat.isDirectory()) refuse('is not a directory', 'move it away, or set ZWARM_DIR to another place');
  if (stat.uid !== maker.uid) throw foreignDirectory(maker, directory, stat.uid, ELSEWHERE);
  if ((stat.mode & 0o022) !== 0)
    refuse('can be written by others', `make it yours alone: chmod 700 ${shellWord(directory)}`);
}

/** The format version of a store: ours where the file is missing, infinite where it is not a number. */
function formatOf(root: string): number {
  const text = readText(layout.formatFile(root))?.trim() ?? `${layout.FORMAT}`;
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/**
 * Refuses what is not ours alone to write; for writing also what lies in another's home, and a newer format.
 * @throws ZwarmError `foreign_directory`, `state_dir_unsafe`, `format_newer`
 */
export function requireUsable(state: string, root: string, maker: Maker, forWriting: boolean): void {
  requirePrivate(state, maker);
  requirePrivate(root, maker);
  if (!forWriting) return;
  requireOwnPlace(maker, state, `; to go on with what is kept there: --state-dir ${shellWord(state)}`);
  if (formatOf(root) <= layout.FORMAT) return;
  throw new ZwarmError('format_newer', `${root} was written by a newer zwarm`, 'update zwarm');
}

/** Whether this process may create files in a store: in the sandbox of an agent it may not. */
export function isWritable(root: string, unique: string): boolean {
  const probe = join(root, `${layout.BUILDING_PREFIX}${unique}`);
  try {
    createFile(probe, '');
    discard(probe);
    return true;
  } catch (error) {
    if (isErrno(error, 'EROFS', 'EACCES', 'EPERM')) return false;
    throw error;
  }
}

/**
 * Makes the store of a project by one rename; another command's stays.
 * @throws ZwarmError `foreign_directory`, `state_dir_unsafe`
 */
export function createStore(state: string, record: ProjectRecord, maker: Maker, unique: string): KnownStore {
  requirePrivate(state, maker);
  requireOwnPlace(maker, state, ELSEWHERE);
  makeDirs(layout.projectsDir(state));
  // Somebody else may have made it meanwhile.
  requirePrivate(state, maker);
  const root = storeDir(state, record.path);
  const building = join(layout.projectsDir(state), `${layout.BUILDING_PREFIX}${unique}`);
  makeDir(building);
  try {
    createFile(layout.formatFile(building), `${layout.FORMAT}\n`);
    createFile(layout.projectFile(building), encode(record));
    // All of them now: on a full disk the trash could not be created when it is needed.
    for (const directory of [layout.sessionsDir, layout.namesDir, layout.trashDir])
      makeDir(directory(building));
    flush(building);
    rename(building, root);
  } catch (error) {
    discard(building);
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
  flush(layout.projectsDir(state));
  return { root, record: recordOf(root) };
}

/**
 * Whether a store that is found for a path is that of another directory: of one that was there before, or to which a relocation
 * gave it. After a relocation that was interrupted it is that of the path.
 */
export function isOthers({ root, record }: KnownStore, path: string): boolean {
  if (record instanceof DamagedRecord) return false;
  if (record.path === path) return standingOf(record) === 'replaced';
  return liesInPlace(root, record) || mayBeThere(record);
}

/**
 * Gives a store to the directory at a path on a host: renames it, then replaces its record. Where another directory's is in the
 * way, it stays where it is. Returns where it is then. @throws ENOTEMPTY, EEXIST where that directory has a store of its own,
 * ZwarmError `usage` where there is no such directory
 */
export function moveStore(
  { root, record }: SoundStore,
  { state, path, host }: { readonly state: string; readonly path: string; readonly host: string },
  unique: string,
): string {
  const home = storeDir(state, path);
  const taken = home === root ? null : storeAt(home);
  const target = taken !== null && isOthers(taken, path) ? root : home;
  const kept_at = target === home ? null : basename(root);
  const moved: ProjectRecord = {
    ...record,
    path,
    host,
    ...identityOfDirectory(path),
    kept_at,
    seen_at: null,
  };
  // It was kept where it is before.
  if (target === root && encode(moved) === encode(record)) return target;
  if (target !== root) rename(root, target);
  flush(dirname(target));
  replaceFile(layout.projectFile(target), encode(moved), join(target, `${layout.BUILDING_PREFIX}${unique}`));
  flush(target);
  return target;
}

/** Notes where the project of a store is now: it is not gone, and nobody is told to delete its sessions. */
export function noteWhereItIs({ root, record }: SoundStore, path: string, unique: string): void {
  const noted = encode({ ...record, seen_at: path });
  try {
    replaceFile(layout.projectFile(root), noted, join(root, `${layout.BUILDING_PREFIX}${unique}`));
  } catch (error) {
    // Another command has given it its new place.
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}
