import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../core/errors.ts';

/**
 * Every change that zwarm makes to a disk, and nothing else. Synchronous: a claim must not interleave with itself,
 * and one small file costs less this way than as a promise. No function follows a symbolic link at its last step.
 */

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Creates a directory that only we can enter. @throws EEXIST */
export function makeDir(path: string): void {
  mkdirSync(path, { mode: 0o700 });
}

/**
 * Creates a directory and its parents, all 0700; one that is there already is left as it is. By hand, because Node's
 * own recursive mkdir never returns where a file system answers ENOENT for a parent that exists (/proc).
 */
export function makeDirs(path: string): void {
  try {
    makeDir(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path || existsSync(dirname(path))) throw error;
    makeDirs(dirname(path));
    makeDirs(path);
  }
}

/** Creates a file that did not exist, writes all of it and flushes it to the disk. @throws EEXIST */
export function createFile(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const fd = openSync(path, CREATE, 0o600);
  try {
    // A full disk shortens a write without an error; only the next one fails.
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Flushes what others wrote to a file, or the entries of a directory. */
export function flush(path: string): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Renames; onto a non-empty directory it fails, which is what makes a claim. @throws ENOTEMPTY, EEXIST */
export function rename(from: string, to: string): void {
  renameSync(from, to);
}

/** Publishes a complete file under a name that nobody holds yet; false when somebody was first. */
export function publishOnce(path: string, content: string, temporary: string): boolean {
  createFile(temporary, content);
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

/** Puts a complete file in the place of another, for the one file that is a cache. */
export function replaceFile(path: string, content: string, temporary: string): void {
  createFile(temporary, content);
  renameSync(temporary, path);
}

/** Removes a file or a whole directory; symbolic links in it are removed, never followed. */
export function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
