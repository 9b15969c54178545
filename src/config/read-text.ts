import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, ZwarmError } from '../core/errors.ts';

/** No configuration comes near this. */
const LIMIT = 64_000;

// O_NONBLOCK: a FIFO must not hold us up.
const OPEN = constants.O_RDONLY | constants.O_NONBLOCK;

function cannotBeRead(path: string, why: string, cause?: unknown): ZwarmError {
  return new ZwarmError(
    'config',
    `${path} ${why}`,
    'look who put it there; remove it, or move it away',
    cause,
  );
}

/** Opens once, and for good: what is put in the place of a file that was merely looked at would be read instead. */
function open(path: string, flags: number): number | null {
  try {
    return openSync(path, flags);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
    if (errno === 'ENXIO') throw cannotBeRead(path, 'is no regular file', error);
    if (errno === 'ELOOP' && flags !== OPEN) throw cannotBeRead(path, 'is a symbolic link', error);
    throw error;
  }
}

/** What a descriptor gives, and no more than one byte above the limit of it: a size tells nothing of what grows. */
function bytesOf(fd: number): Buffer {
  const bytes = Buffer.alloc(LIMIT + 1);
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(fd, bytes, done, bytes.length - done, done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ZwarmError('config', `${path} is not valid UTF-8`, `convert it: iconv -t UTF-8`, error);
  }
}

function read(path: string, flags: number): string | null {
  const fd = open(path, flags);
  if (fd === null) return null;
  try {
    if (!fstatSync(fd).isFile()) throw cannotBeRead(path, 'is no regular file');
    const bytes = bytesOf(fd);
    if (bytes.length > LIMIT) throw cannotBeRead(path, 'is larger than 64 kB');
    return decode(path, bytes);
  } finally {
    closeSync(fd);
  }
}

function readWith(path: string, flags: number): string | null {
  try {
    return read(path, flags);
  } catch (error) {
    if (error instanceof ZwarmError) throw error;
    throw cannotBeRead(path, `cannot be read (${errnoOf(error)})`, error);
  }
}

/** The user's own file, which may well be a link; null where there is none. @throws ZwarmError `config` */
export function readUserText(path: string): string | null {
  return readWith(path, OPEN);
}

/** A project's file, which an agent may have put there; null where there is none. @throws ZwarmError `config` */
export function readProjectText(path: string): string | null {
  return readWith(path, OPEN | constants.O_NOFOLLOW);
}
