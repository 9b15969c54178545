import { closeSync, constants, fstatSync, lstatSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import {
  chmod,
  fchmod,
  fsync,
  link,
  mkdir,
  open,
  rm,
  spawnSync,
  symlink,
  rename as syscallRename,
  utimes,
  write,
} from '../syscalls.ts';

/**
 * Every change that zwarm makes to a disk, and nothing else. Synchronous: a claim must not interleave with itself,
 * and one small file costs less this way than as a promise. No function follows a symbolic link at its last step.
 */

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Creates a directory that only we can enter, whatever the umask. @throws EEXIST */
export function makeDir(path: string): void {
  mkdir(path, { mode: 0o700 });
  if ((lstatSync(path).mode & 0o700) !== 0o700) chmod(path, 0o700);
}

/** Opens a new file that only we can read and write, whatever the umask. @throws EEXIST */
function create(path: string): number {
  const fd = open(path, CREATE, 0o600);
  try {
    if ((fstatSync(fd).mode & 0o600) !== 0o600) fchmod(fd, 0o600);
    return fd;
  } catch (error) {
    closeSync(fd);
    discard(path);
    throw error;
  }
}

/** Whether a directory was created; false when its parent is missing, true also when somebody was first. */
function hasMadeDir(path: string): boolean {
  try {
    makeDir(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  return true;
}

/**
 * Creates a directory and its parents, all 0700; one that is there already is left as it is. By hand, because Node's
 * own recursive mkdir never returns where a file system answers ENOENT for a parent that exists (/proc).
 */
export function makeDirs(path: string): void {
  if (hasMadeDir(path)) return;
  if (dirname(path) !== path) makeDirs(dirname(path));
  // Others may create the same parents at the same time: whatever came of it, this decides.
  if (!hasMadeDir(path)) makeDir(path);
}

/** Creates a file that did not exist, fills it and flushes it to the disk; or leaves none. @throws EEXIST */
function createWhole(path: string, fill: (fd: number) => void): void {
  const fd = create(path);
  try {
    fill(fd);
    fsync(fd);
  } catch (error) {
    discard(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Writes all of these bytes. */
function writeAll(fd: number, bytes: Uint8Array): void {
  // A full disk shortens a write without an error; only the next one fails.
  for (let done = 0; done < bytes.length; ) done += write(fd, bytes, done);
}

/** Creates a file that did not exist, writes all of it and flushes it to the disk; or leaves none. @throws EEXIST */
export function createFile(path: string, content: string | Uint8Array): void {
  createWhole(path, (fd) => writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content));
}

const COPY_BLOCK = 1 << 20;

/**
 * Copies the first `bytes` bytes of an open file into one that did not exist, with the time of its last change, and
 * flushes it; or leaves none. @throws EEXIST
 */
export function copyFile(from: number, path: string, bytes: number, mtimeMs: number): void {
  createWhole(path, (fd) => {
    const block = Buffer.allocUnsafe(Math.min(COPY_BLOCK, bytes));
    for (let at = 0; at < bytes; ) {
      const count = readSync(from, block, 0, Math.min(block.length, bytes - at), at);
      if (count === 0) break;
      writeAll(fd, block.subarray(0, count));
      at += count;
    }
    utimes(fd, mtimeMs / 1000, mtimeMs / 1000);
  });
}

/** Publishes an empty file, whose name says all that a full disk has no room for; false when somebody was first. */
export function publishName(path: string): boolean {
  try {
    closeSync(create(path));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Makes a symbolic link. @throws EEXIST */
export function makeLink(target: string, path: string): void {
  symlink(target, path);
}

/** Gives a file a second name. @throws EEXIST */
export function linkName(existing: string, path: string): void {
  link(existing, path);
}

/** Whether an operation failed because there is no room on the disk. */
export function isDiskFull(error: unknown): boolean {
  return errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT';
}

/**
 * Removes what a failed operation had begun. Never throws: the failure that made it necessary is what counts, and
 * what stays is debris under a hidden name, which `clean` removes and `doctor` shows.
 */
export function discard(path: string): void {
  try {
    removeTree(path);
  } catch {
    return;
  }
}

/** Flushes what others wrote to a file, or the entries of a directory. */
export function flush(path: string): void {
  const fd = open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fsync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Renames; onto a non-empty directory it fails, which is what makes a claim. @throws ENOTEMPTY, EEXIST */
export function rename(from: string, to: string): void {
  syscallRename(from, to);
}

/** Publishes a complete file under a name that nobody holds yet; false when somebody was first. */
export function publishOnce(path: string, content: string, temporary: string): boolean {
  createFile(temporary, content);
  try {
    link(temporary, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    discard(temporary);
  }
}

/** Puts a complete file in the place of another, for the one file that is a cache. */
export function replaceFile(path: string, content: string, temporary: string): void {
  createFile(temporary, content);
  try {
    rename(temporary, path);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

/** The same for a file that is not ours alone: it keeps its permissions. */
export function replaceKeepingMode(path: string, content: string, temporary: string, mode: number): void {
  createFile(temporary, content);
  try {
    chmod(temporary, mode);
    rename(temporary, path);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

/** @throws ZwarmError `io` with what the system's rm says */
function removeDirectory(path: string): void {
  const ended = spawnSync('/bin/rm', ['-rf', '--', path], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (ended.error !== undefined) throw ended.error;
  if (ended.status === 0) return;
  const [why = ''] = ended.stderr.toString().trim().split('\n');
  throw new ZwarmError('io', why, `look at what is in ${path}, and delete it yourself`);
}

/**
 * Removes a file or a whole directory; symbolic links in it are removed, never followed. The system's rm goes by
 * descriptors: Node 20's and 22's own goes by paths, and whatever is put there meanwhile leads it astray.
 */
export function removeTree(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) removeDirectory(path);
  else if (stat !== undefined) rm(path, { force: true });
}
