import { type BigIntStats, statSync } from 'node:fs';
import { errnoOf } from '../core/errors.ts';
import { isoTime } from '../core/time.ts';
import { projectFile } from './layout.ts';
import { DamagedRecord, readSmall } from './read-file.ts';
import { parseProjectRecord } from './records.ts';

/** `project.json`: which directory a store belongs to. Replaced only when the project has moved. */
export interface ProjectRecord {
  readonly v: 1;
  /** Random; names the store in the marks of its turns. */
  readonly store_id: string;
  /** The real path of the project when the store was made or last relocated. */
  readonly path: string;
  readonly host: string;
  /** Of the directory at that path: its inode, and when it was made. */
  readonly inode: string;
  readonly birth_time: string;
  readonly created_at: string;
}

const timeOf = (ns: bigint): string => isoTime(Number(ns / 1_000_000n));

function look(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** By what the directory at a path is known again. @throws the error of the file system */
export function identityOfDirectory(path: string): Pick<ProjectRecord, 'inode' | 'birth_time'> {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return { inode: String(ino), birth_time: timeOf(birthtimeNs) };
}

/** Whether the directory of a store is still there: the same one, another one in its place, or none. */
export type Standing = 'here' | 'replaced' | 'missing';

/** How the directory of a store stands now. */
export function standingOf({ path, inode, birth_time }: ProjectRecord): Standing {
  const stat = look(path);
  if (stat === null) return 'missing';
  // Where a file system keeps no time of birth, that of the last change takes its place and says nothing.
  const hasBirth = stat.birthtimeNs !== stat.ctimeNs;
  const isSame = String(stat.ino) === inode && (!hasBirth || timeOf(stat.birthtimeNs) === birth_time);
  return isSame ? 'here' : 'replaced';
}

/** Reads the record of a store. @throws DamagedRecord */
export function readProjectRecord(root: string): ProjectRecord {
  const file = readSmall(projectFile(root));
  if (file === null) throw new DamagedRecord('project.json is missing');
  return parseProjectRecord(file.bytes.toString());
}
