import { type BigIntStats, statSync } from 'node:fs';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { isoTime } from '../core/time.ts';
import { realPathOf } from './real-path.ts';
import type { ProjectRecord } from './records.ts';

/** What identifies a directory, also after it was moved. */
export type DirectoryIdentity = Pick<ProjectRecord, 'inode' | 'birth_time'>;

/** What stat tells of a path; null where nothing is there, `closed` where that cannot be told now. */
function look(path: string): BigIntStats | null | 'closed' {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    if (isErrno(error, 'EACCES', 'EPERM', 'EIO', 'ESTALE', 'ENOTCONN', 'EHOSTDOWN')) return 'closed';
    throw error;
  }
}

const birthOf = ({ birthtimeNs }: Pick<BigIntStats, 'birthtimeNs'>): string =>
  isoTime(Number(birthtimeNs / 1_000_000n));

/** The identity of the directory at a path. @throws ZwarmError `usage` where there is none */
export function identityOfDirectory(path: string): DirectoryIdentity {
  const found = look(path);
  if (found === null || found === 'closed')
    throw new ZwarmError('usage', `there is no directory ${path}`, 'name one that exists');
  return { inode: String(found.ino), birth_time: birthOf(found) };
}

/**
 * Whether the system tells times of birth at all: where it has no statx(2), as in old containers, Node tells that of the last
 * change instead. Of /proc, which keeps none, it tells 0 then.
 */
function tellsBirths(): boolean {
  const proc = look('/proc');
  return proc === null || proc === 'closed' || proc.birthtimeNs !== proc.ctimeNs;
}

/** What stat tells of a directory by which it is recognised. */
type IdentityStat = Pick<BigIntStats, 'ino' | 'birthtimeNs' | 'ctimeNs'>;

/**
 * Whether a directory is the one with this identity: `perhaps`, where the inode is the same and neither the file system nor the
 * system tells when it was born, since inodes are used again.
 */
export function compareIdentity(
  stat: IdentityStat,
  { inode, birth_time }: DirectoryIdentity,
  knowsBirths: () => boolean,
): 'same' | 'perhaps' | 'other' {
  if (String(stat.ino) !== inode) return 'other';
  // One that was just made has changed last when it was born.
  if (stat.birthtimeNs === stat.ctimeNs && !knowsBirths()) return 'perhaps';
  if (birthOf(stat) !== birth_time) return 'other';
  return stat.birthtimeNs === 0n ? 'perhaps' : 'same';
}

/** The same of what is at a path now. */
export function likeness(
  path: string,
  identity: DirectoryIdentity,
): ReturnType<typeof compareIdentity> | 'missing' | 'closed' {
  const found = look(path);
  if (found === null) return 'missing';
  return found === 'closed' ? found : compareIdentity(found, identity, tellsBirths);
}

/** Whether the directory with this identity is, or may be, at a path. */
export const isAt = (path: string, identity: DirectoryIdentity): boolean =>
  ['same', 'perhaps'].includes(likeness(path, identity));

/**
 * Where the directory of a store is, as far as its record tells: at its path, or where it was seen last; null where it is gone.
 * Of what is closed to us now, nobody says that it is gone.
 */
export function whereaboutsOf(record: ProjectRecord): string | null {
  const { path, seen_at } = record;
  const own = standingOf(record);
  if (own === 'here') return path;
  if (seen_at !== null && (isAt(seen_at, record) || likeness(seen_at, record) === 'closed')) return seen_at;
  return own === 'closed' ? path : null;
}

/** Whether the directory of a store is still at its path, or nobody can tell now. */
export const mayBeThere = (record: ProjectRecord): boolean => ['here', 'closed'].includes(standingOf(record));

/**
 * Whether the directory of a store is still at its path: the same one, another one in its place, or none. A link that leads
 * to where it is now is another one.
 */
export function standingOf(record: ProjectRecord): 'here' | 'replaced' | 'missing' | 'closed' {
  const found = likeness(record.path, record);
  if (found === 'closed') return found;
  if (found !== 'missing' && realPathOf(record.path) !== record.path) return 'replaced';
  if (found === 'missing') return 'missing';
  return found === 'other' ? 'replaced' : 'here';
}
