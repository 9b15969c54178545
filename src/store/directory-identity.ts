import { type BigIntStats, statSync } from 'node:fs';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { isoTime } from '../core/time.ts';
import { realPathOf } from './real-path.ts';
import type { ProjectRecord } from './records.ts';

/** What identifies a directory, also after it was moved. */
export type DirectoryIdentity = Pick<ProjectRecord, 'inode' | 'birth_time'>;

function look(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return null;
    throw error;
  }
}

const birthOf = ({ birthtimeNs }: Pick<BigIntStats, 'birthtimeNs'>): string =>
  isoTime(Number(birthtimeNs / 1_000_000n));

/** The identity of the directory at a path. @throws ZwarmError `usage` where there is none */
export function identityOfDirectory(path: string): DirectoryIdentity {
  const found = look(path);
  if (found === null) throw new ZwarmError('usage', `there is no directory ${path}`, 'name one that exists');
  return { inode: String(found.ino), birth_time: birthOf(found) };
}

/**
 * Whether the system tells times of birth at all: where it has no statx(2), as in old containers, Node tells that of the last
 * change instead. Of /proc, which keeps none, it tells 0 then.
 */
function tellsBirths(): boolean {
  const proc = look('/proc');
  return proc === null || proc.birthtimeNs !== proc.ctimeNs;
}

/** What stat tells of a directory by which it is recognised. */
type Told = Pick<BigIntStats, 'ino' | 'birthtimeNs' | 'ctimeNs'>;

/**
 * Whether a directory is the one with this identity: `perhaps`, where the inode is the same and neither the file system nor the
 * system tells when it was born, since inodes are used again.
 */
export function compareIdentity(
  told: Told,
  { inode, birth_time }: DirectoryIdentity,
  toldBirths: () => boolean,
): 'same' | 'perhaps' | 'other' {
  if (String(told.ino) !== inode) return 'other';
  // One that was just made has changed last when it was born.
  if (told.birthtimeNs === told.ctimeNs && !toldBirths()) return 'perhaps';
  if (birthOf(told) !== birth_time) return 'other';
  return told.birthtimeNs === 0n ? 'perhaps' : 'same';
}

/** The same of what is at a path now. */
export function likeness(
  path: string,
  identity: DirectoryIdentity,
): ReturnType<typeof compareIdentity> | 'missing' {
  const found = look(path);
  return found === null ? 'missing' : compareIdentity(found, identity, tellsBirths);
}

const isAt = (path: string, identity: DirectoryIdentity): boolean =>
  ['same', 'perhaps'].includes(likeness(path, identity));

/** Where the directory of a store is, as far as its record tells: at its path, or where it was seen last; null where it is gone. */
export function whereaboutsOf(record: ProjectRecord): string | null {
  if (standingOf(record) === 'here') return record.path;
  return record.seen_at !== null && isAt(record.seen_at, record) ? record.seen_at : null;
}

/**
 * Whether the directory of a store is still at its path: the same one, another one in its place, or none. A link that leads
 * to where it is now is another one.
 */
export function standingOf(record: ProjectRecord): 'here' | 'replaced' | 'missing' {
  const found = likeness(record.path, record);
  if (found !== 'missing' && realPathOf(record.path) !== record.path) return 'replaced';
  if (found === 'missing') return 'missing';
  return found === 'other' ? 'replaced' : 'here';
}
