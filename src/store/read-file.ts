import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import { errnoOf } from '../core/errors.ts';

/** A stored file that is not what zwarm wrote: not a regular file, too large, or not the expected JSON. */
export class DamagedRecord extends Error {
  override readonly name = 'DamagedRecord';
}

/** The result of `read`, or null for a damaged record: for records that then count as absent. */
export function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedRecord) return null;
    throw error;
  }
}

/** The bytes of a small file and when it was last written (ms since the epoch). */
export interface SmallFile {
  readonly bytes: Buffer;
  readonly mtimeMs: number;
}

/** Far more than any record takes. */
const RECORD_LIMIT = 1 << 20;

// O_NONBLOCK: a FIFO at the path must not hang a reader.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Whether permissions made an operation fail. */
export function isForbidden(error: unknown): boolean {
  return errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM';
}

/** An open file; another file at its path has another identity. */
export interface OpenFile {
  readonly fd: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly identity: string;
}

/** Opens a regular file below the state directory, or null where there is none. @throws DamagedRecord */
export function openRegular(path: string): OpenFile | null {
  let fd: number;
  try {
    fd = openSync(path, READ);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'ENOTDIR') {
      throw new DamagedRecord(`${path} is not a regular file`);
    }
    if (isForbidden(error)) throw new DamagedRecord(`${path} may not be read`, { cause: error });
    throw error;
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) {
    return { fd, size: stat.size, mtimeMs: stat.mtimeMs, identity: `${stat.dev}:${stat.ino}` };
  }
  closeSync(fd);
  throw new DamagedRecord(`${path} is not a regular file`);
}

/** Fills a buffer with the bytes of a file from `from` on; fewer are returned where the file ends before. */
export function readFully(fd: number, buffer: Buffer, from: number): Buffer {
  let done = 0;
  while (done < buffer.length) {
    const count = readSync(fd, buffer, done, buffer.length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return buffer.subarray(0, done);
}

/** A whole small file, or null where there is none. @throws DamagedRecord when it is not a regular file or too large */
export function readSmall(path: string, limit = RECORD_LIMIT): SmallFile | null {
  const file = openRegular(path);
  if (file === null) return null;
  try {
    if (file.size > limit) throw new DamagedRecord(`${path} is too large: ${file.size} bytes`);
    return { bytes: readFully(file.fd, Buffer.alloc(file.size), 0), mtimeMs: file.mtimeMs };
  } finally {
    closeSync(file.fd);
  }
}

/**
 * Reads the beginning of a file into a buffer: how many bytes there were for it. It may be any kind of file, so the
 * caller checks what it read. @throws the error of the file system
 */
export function readBeginning(path: string, buffer: Buffer): number {
  const fd = openSync(path, READ);
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } finally {
    closeSync(fd);
  }
}

/** The file at a path, links not followed, or null. @throws DamagedRecord when that cannot be told */
export function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    // ENOTDIR: something above it is a file.
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
    if (isForbidden(error)) throw new DamagedRecord(`${path} may not be read`, { cause: error });
    throw error;
  }
}

/**
 * Whether there is a directory of that very name: a link to one does not count.
 * @throws DamagedRecord when that cannot be told
 */
export function isRealDirectory(path: string): boolean {
  return lookAt(path)?.isDirectory() ?? false;
}

/** The entries of a directory, or none where there is no directory. @throws DamagedRecord when it may not be read */
export function entriesOf(path: string): readonly { name: string; directory: boolean }[] {
  try {
    return readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      directory: entry.isDirectory(),
    }));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    if (isForbidden(error)) throw new DamagedRecord(`${path} may not be read`, { cause: error });
    throw error;
  }
}
