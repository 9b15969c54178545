import { lstatSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { digest } from '../core/digest.ts';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { createFile, discard, flush, makeDir, makeDirs, rename, replaceFile } from './files.ts';
import {
  BUILDING_PREFIX,
  FORMAT,
  formatFile,
  namesDir,
  projectFile,
  projectsDir,
  sessionsDir,
  trashDir,
} from './layout.ts';
import { readProjectRecord } from './project-record.ts';
import { DamagedRecord, entriesOf, readSmall, unlessDamaged } from './read-file.ts';
import { encode, type ProjectRecord } from './records.ts';

/*
 * The stores of all projects, `projects/<name>-<key>`. The key alone says whose a store is; the name is for people.
 */

const LONGEST_NAME = 40;

/** The directory of the store for a project of this path, whether it is there or not. */
export function storeDir(state: string, path: string): string {
  const last = basename(path) === '.git' ? basename(dirname(path)) : basename(path);
  const name = last.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, LONGEST_NAME);
  return join(projectsDir(state), `${name || 'root'}-${digest(path).slice(0, 16)}`);
}

/** Whether there is a store for a project of this path. */
export function hasStore(state: string, path: string): boolean {
  try {
    return lstatSync(storeDir(state, path), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/** @throws ZwarmError `state_dir_unsafe` where a directory is not the user's alone to write */
function requirePrivate(directory: string, uid: number): void {
  const stat = statSync(directory, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const refuse = (what: string, hint: string): never => {
    throw new ZwarmError('state_dir_unsafe', `${directory} ${what}`, hint);
  };
  if (!stat.isDirectory()) refuse('is not a directory', 'move it away, or set ZWARM_DIR to another place');
  if (stat.uid !== uid)
    refuse(
      `belongs to another user (uid ${stat.uid})`,
      'run zwarm as that user, or set ZWARM_DIR to a directory of yours',
    );
  if ((stat.mode & 0o022) !== 0)
    refuse('can be written by others', `make it yours alone: chmod 700 '${directory}'`);
}

/** The format version of a store: ours where the file is missing, infinite where it is not a number. @throws DamagedRecord where it cannot be read */
function formatOf(root: string): number {
  const file = readSmall(formatFile(root));
  if (file === null) return FORMAT;
  const text = file.bytes.toString().trim();
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/** Refuses a state directory that others can write, and a store in it that a newer zwarm made. @throws ZwarmError `state_dir_unsafe`, `format_newer` */
export function requireUsable(state: string, root: string, uid: number, forWriting: boolean): void {
  requirePrivate(state, uid);
  requirePrivate(root, uid);
  if (!forWriting || formatOf(root) <= FORMAT) return;
  throw new ZwarmError('format_newer', `${root} was written by a newer zwarm`, 'update zwarm');
}

/** Whether this process may create files in a store: in the sandbox of an agent it may not. */
export function isWritable(root: string, unique: string): boolean {
  const probe = join(root, `${BUILDING_PREFIX}${unique}`);
  try {
    createFile(probe, '');
    discard(probe);
    return true;
  } catch (error) {
    if (['EROFS', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/**
 * Makes the store of a project: built under a hidden name, it appears by one rename. Where another command was first,
 * that one's store stays. @throws ZwarmError `state_dir_unsafe`, or the error of the file system
 */
export function createStore(state: string, record: ProjectRecord, uid: number, unique: string): void {
  requirePrivate(state, uid);
  makeDirs(projectsDir(state));
  // Somebody else may have made it meanwhile.
  requirePrivate(state, uid);
  const building = join(projectsDir(state), `${BUILDING_PREFIX}${unique}`);
  makeDir(building);
  try {
    createFile(formatFile(building), `${FORMAT}\n`);
    createFile(projectFile(building), encode(record));
    // All of them now: on a full disk the trash could not be created when it is needed.
    for (const directory of [sessionsDir, namesDir, trashDir]) makeDir(directory(building));
    flush(building);
    rename(building, storeDir(state, record.path));
  } catch (error) {
    discard(building);
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST') throw error;
  }
  flush(projectsDir(state));
}

/** Gives a store to the project of another record. One that is there already stays. @throws ENOTEMPTY, EEXIST */
export function moveStore(state: string, root: string, record: ProjectRecord, unique: string): void {
  const target = storeDir(state, record.path);
  if (target !== root) rename(root, target);
  flush(projectsDir(state));
  replaceFile(projectFile(target), encode(record), join(target, `${BUILDING_PREFIX}${unique}`));
  flush(target);
}

/** One of all stores: its directory, and its record or why that cannot be read. */
export interface KnownStore {
  readonly root: string;
  readonly record: ProjectRecord | DamagedRecord;
}

/** The stores of all projects, in the order of their names. */
export function listStores(state: string): readonly KnownStore[] {
  const entries = unlessDamaged(() => entriesOf(projectsDir(state))) ?? [];
  return entries
    .filter(({ name, directory }) => directory && !name.startsWith('.'))
    .map(({ name }) => join(projectsDir(state), name))
    .sort()
    .map((root) => ({ root, record: recordOrDamage(root) }));
}

/** The record of a store, or why it cannot be read. */
export function recordOrDamage(root: string): ProjectRecord | DamagedRecord {
  try {
    return readProjectRecord(root);
  } catch (error) {
    if (error instanceof DamagedRecord) return error;
    throw error;
  }
}
