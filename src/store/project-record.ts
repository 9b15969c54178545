import { statSync } from 'node:fs';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { isoTime } from '../core/time.ts';
import { projectFile } from './layout.ts';
import { DamagedRecord, readSmall } from './read-file.ts';
import { type ProjectRecord, parseProjectRecord } from './records.ts';

const timeOf = (ns: bigint): string => isoTime(Number(ns / 1_000_000n));

/** The directory at a path: its inode, and when it was made where its file system keeps that. */
interface Found {
  readonly inode: string;
  readonly birth_time: string;
  readonly hasBirth: boolean;
}

function look(path: string): Found | null {
  try {
    const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
    // Where a file system keeps no time of birth, that of the last change takes its place and says nothing.
    return { inode: String(ino), birth_time: timeOf(birthtimeNs), hasBirth: birthtimeNs !== ctimeNs };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** What identifies the directory at a path after it was moved. @throws ZwarmError `usage` where there is none */
export function identityOfDirectory(path: string): Pick<ProjectRecord, 'inode' | 'birth_time'> {
  const found = look(path);
  if (found === null) throw new ZwarmError('usage', `there is no directory ${path}`, 'name one that exists');
  return { inode: found.inode, birth_time: found.birth_time };
}

/** Whether the directory of a store is still there: the same one, another one in its place, or none. */
export type Standing = 'here' | 'replaced' | 'missing';

/** How the directory of a store stands now. */
export function standingOf({ path, inode, birth_time }: ProjectRecord): Standing {
  const found = look(path);
  if (found === null) return 'missing';
  const isSame = found.inode === inode && (!found.hasBirth || found.birth_time === birth_time);
  return isSame ? 'here' : 'replaced';
}

/** Reads the record of a store. @throws DamagedRecord */
export function readProjectRecord(root: string): ProjectRecord {
  const file = readSmall(projectFile(root));
  if (file === null) throw new DamagedRecord('project.json is missing');
  return parseProjectRecord(file.bytes.toString());
}
