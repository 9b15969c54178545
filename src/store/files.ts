import { closeSync, constants, fstatSync, lstatSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isErrno, ZwarmError } from '../core/errors.ts';
import * as syscalls from '../syscalls.ts';
import { BUILDING_PREFIX } from './layout.ts';

/*
 * Every change that zwarm makes to a disk. Synchronous: a claim must not interleave with itself, and one small file costs
 * less this way than as a promise. No function follows a symbolic link at its last step.
 */

// A rename onto a directory that is not empty fails, which is what makes a claim.
export const { link, rename, symlink } = syscalls;

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** A path need not be text. */
type Path = string | Buffer;

/** Creates a directory that only we can enter, whatever the umask. @throws EEXIST */
export function makeDir(path: Path): void {
  syscalls.mkdir(path, { mode: 0o700 });
  if ((lstatSync(path).mode & 0o700) !== 0o700) syscalls.chmod(path, 0o700);
}

/**
 * Creates a file that only we can read and write, whatever the umask, has it filled and flushes it to the disk; or leaves
 * none. @throws EEXIST
 */
function create(path: string, fill: ((fd: number) => void) | null): void {
  const fd = syscalls.open(path, CREATE, 0o600);
  try {
    if ((fstatSync(fd).mode & 0o600) !== 0o600) syscalls.fchmod(fd, 0o600);
    fill?.(fd);
    if (fill !== null) syscalls.fsync(fd);
  } catch (error) {
    discard(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * Creates a directory and its parents, all 0700; one that is there already is left as it is. By hand, because Node's
 * own recursive mkdir never returns where a file system answers ENOENT for a parent that exists (/proc).
 */
export function makeDirs(path: string): void {
  try {
    isFirst(() => makeDir(path));
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    makeDirs(dirname(path));
    isFirst(() => makeDir(path));
  }
}

/** Writes all of these bytes. */
function writeAll(fd: number, bytes: Uint8Array): void {
  // A full disk shortens a write without an error; only the next one fails.
  for (let done = 0; done < bytes.length; ) done += syscalls.write(fd, bytes, done);
}

/** Creates a file, writes all of it and flushes it to the disk; or leaves none. @throws EEXIST */
export function createFile(path: string, content: string | Uint8Array): void {
  create(path, (fd) => writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content));
}

/** Bytes that are written at once, where they come in pieces. */
const WRITE_BYTES = 1 << 18;

/** Creates a file of lines, and flushes it to the disk; or leaves none. Returns its size in bytes. @throws EEXIST */
export function createFileOfLines(path: string, lines: Iterable<string>): number {
  let size = 0;
  create(path, (fd) => {
    let text = '';
    const flushText = (): void => {
      const bytes = Buffer.from(text);
      writeAll(fd, bytes);
      size += bytes.length;
      text = '';
    };
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length >= WRITE_BYTES) flushText();
    }
    flushText();
  });
  return size;
}

/**
 * Sets when a file was last written (ms since the epoch). The system takes seconds, as a fraction that cannot name every
 * millisecond: away from the edges of one, it stays the same millisecond.
 */
function setModified(fd: number, mtimeMs: number): void {
  const whole = Math.floor(mtimeMs);
  const seconds = (whole + Math.min(Math.max(mtimeMs - whole, 0.01), 0.99)) / 1000;
  syscalls.utimes(fd, seconds, seconds);
}

/**
 * Creates a file that can be made again, without waiting for the disk; `mtimeMs`: when it is to have been changed last.
 * @throws EEXIST
 */
export function createUnflushed(path: string, content: string | Uint8Array, mtimeMs?: number): void {
  create(path, null);
  const fd = syscalls.open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content);
    if (mtimeMs !== undefined) setModified(fd, mtimeMs);
  } finally {
    closeSync(fd);
  }
}

const COPY_BLOCK = 1 << 20;

/** Copies the first `bytes` bytes of an open file and the time of its last change into a new one; or leaves none. */
export function copyFile(from: number, path: string, bytes: number, mtimeMs: number): void {
  create(path, (fd) => {
    const block = Buffer.allocUnsafe(Math.min(COPY_BLOCK, bytes));
    for (let at = 0; at < bytes; ) {
      const count = readSync(from, block, 0, Math.min(block.length, bytes - at), at);
      if (count === 0) break;
      writeAll(fd, block.subarray(0, count));
      at += count;
    }
    setModified(fd, mtimeMs);
  });
}

/**
 * Copies a file, with its permissions and, where the file system can, without its blocks, or a link as it is, to where
 * nothing is; false for anything else, such as a pipe or a directory. @throws EEXIST
 */
export function copyEntry(from: Path, to: Path): boolean {
  const stat = lstatSync(from);
  if (stat.isSymbolicLink()) syscalls.symlink(readlinkSync(from, 'buffer'), to);
  else if (stat.isFile()) syscalls.copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  return stat.isSymbolicLink() || stat.isFile();
}

/** Removes a file or a link. @throws ENOENT where there is none, EISDIR */
export function removeEntry(path: Path): void {
  syscalls.rm(path);
}

/**
 * Creates a file of pieces that come one by one, flushes it and, where that is given, sets the time of its last change; or
 * leaves none. @throws EEXIST
 */
export async function createFileOf(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  mtimeMs: number | null,
): Promise<void> {
  create(path, null);
  const fd = syscalls.open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    for await (const piece of pieces) writeAll(fd, piece);
    if (mtimeMs !== null) setModified(fd, mtimeMs);
    syscalls.fsync(fd);
  } catch (error) {
    discard(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Makes what may be there; false when somebody was first. */
export function isFirst(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Publishes an empty file, whose name says all that a full disk has no room for; false when somebody was first. */
export function publishName(path: string): boolean {
  return isFirst(() => create(path, null));
}

/** Removes a directory if it is there and empty; whether it has. Never throws. */
export function discardEmpty(path: Path): boolean {
  try {
    syscalls.rmdir(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether an operation failed because there is no room on the disk. */
export function isDiskFull(error: unknown): boolean {
  return isErrno(error, 'ENOSPC', 'EDQUOT');
}

/** Removes what a failed operation had begun. Never throws: what stays, `clean` removes and `doctor` shows. */
export function discard(path: string): void {
  try {
    removeTree(path);
  } catch {
    return;
  }
}

/** Flushes what others wrote to a file, or the entries of a directory. */
export function flush(path: string): void {
  const fd = syscalls.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    syscalls.fsync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes a whole file under a temporary name, and does with it what gives it its place. */
function viaTemporary<T>(temporary: string, content: string, place: () => T): T {
  createFile(temporary, content);
  try {
    return place();
  } finally {
    discard(temporary);
  }
}

/** Publishes a complete file under a name that nobody holds yet; false when somebody was first. */
export function publishOnce(path: string, content: string, temporary: string): boolean {
  return viaTemporary(temporary, content, () => isFirst(() => link(temporary, path)));
}

/** Puts a complete file in the place of another; `mode`: its permissions, where it is not for its user alone. */
export function replaceFile(path: string, content: string, temporary: string, mode = 0o600): void {
  viaTemporary(temporary, content, () => {
    if (mode !== 0o600) syscalls.chmod(temporary, mode);
    rename(temporary, path);
  });
}

/** Puts a whole file into a place of the user's own, with the directories above it. A link is followed. */
export function putUserFile(path: string, content: string, unique: string): void {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const target = isLink ? realpathSync(path) : path;
  makeDirs(dirname(target));
  replaceFile(target, content, join(dirname(target), `${BUILDING_PREFIX}${unique}.${basename(target)}`));
  flush(dirname(target));
}

/**
 * Removes a file or a whole directory; symbolic links in it are removed, never followed. The system's rm goes by
 * descriptors: Node 20's and 22's own goes by paths, and whatever is put there meanwhile leads it astray.
 * @throws ZwarmError `io` with what the system's rm says
 */
export function removeTree(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) {
    if (stat !== undefined) syscalls.rm(path, { force: true });
    return;
  }
  const ended = syscalls.spawnSync('/bin/rm', ['-rf', '--', path], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (ended.error !== undefined) throw ended.error;
  if (ended.status === 0) return;
  const [why = ''] = ended.stderr.toString().trim().split('\n');
  throw new ZwarmError('io', why, `look at what is in ${path}, and delete it yourself`);
}
