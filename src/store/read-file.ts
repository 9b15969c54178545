import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import { isErrno } from '../core/errors.ts';

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

/** Far more than any record takes, in bytes. */
const RECORD_LIMIT = 1 << 20;

// O_NONBLOCK: a FIFO at the path must not hang a reader.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Whether permissions made an operation fail. */
export function isForbidden(error: unknown): boolean {
  return isErrno(error, 'EACCES', 'EPERM');
}

/** Null for the error of a path at which nothing is. @throws DamagedRecord where that cannot be known; other errors */
function nothingAt(path: string, error: unknown): null {
  // ENOTDIR: something above it is a file.
  if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null;
  throw isForbidden(error) ? new DamagedRecord(`${path} may not be read`, { cause: error }) : error;
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
    if (!isErrno(error, 'ELOOP', 'ENXIO', 'ENOTDIR')) return nothingAt(path, error);
    throw new DamagedRecord(`${path} is not a regular file`);
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) {
    return { fd, size: stat.size, mtimeMs: stat.mtimeMs, identity: `${stat.dev}:${stat.ino}` };
  }
  closeSync(fd);
  throw new DamagedRecord(`${path} is not a regular file`);
}

/** What `read` finds in a regular file, which is closed then, or null where there is none. @throws DamagedRecord */
export function withFile<T>(path: string, read: (file: OpenFile) => T): T | null {
  const file = openRegular(path);
  if (file === null) return null;
  try {
    return read(file);
  } finally {
    closeSync(file.fd);
  }
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

/** A small file and when it was last written (ms since the epoch), or null. @throws DamagedRecord */
export function readSmall(path: string, limit = RECORD_LIMIT): { bytes: Buffer; mtimeMs: number } | null {
  return withFile(path, ({ fd, size, mtimeMs }) => {
    if (size > limit) throw new DamagedRecord(`${path} is too large: ${size} bytes`);
    return { bytes: readFully(fd, Buffer.alloc(size), 0), mtimeMs };
  });
}

/** The text of a small file, or null where there is none. @throws DamagedRecord likewise */
export function readText(path: string, limit?: number): string | null {
  return readSmall(path, limit)?.bytes.toString() ?? null;
}

/** Reads the beginning of a file of any kind into a buffer; how many bytes. @throws the error of the file system */
export function readBeginning(path: string, buffer: Buffer): number {
  const fd = openSync(path, READ);
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } finally {
    closeSync(fd);
  }
}

const BLOCK = 1 << 17;

/**
 * The bytes of a file of the user's own, a block at a time; links are followed.
 * @throws DamagedRecord where it is not a regular file; the error of the file system
 */
export function* readBlocks(path: string): Generator<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new DamagedRecord('it is not a regular file');
    for (;;) {
      const block = Buffer.allocUnsafe(BLOCK);
      const count = readSync(fd, block, 0, BLOCK, null);
      if (count === 0) return;
      yield block.subarray(0, count);
    }
  } finally {
    closeSync(fd);
  }
}

/** The file at a path, links not followed, or null. @throws DamagedRecord when that cannot be known */
export function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    return nothingAt(path, error);
  }
}

/** Whether there is a directory of that very name: a link to one does not count. @throws DamagedRecord likewise */
export function isRealDirectory(path: string): boolean {
  return lookAt(path)?.isDirectory() ?? false;
}

/** The entries of a directory, or none where there is no directory. @throws DamagedRecord when it may not be read */
export function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    return nothingAt(path, error) ?? [];
  }
}
