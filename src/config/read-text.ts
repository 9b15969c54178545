import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, TextProblem, ZwarmError } from '../core/errors.ts';
import { cutText } from '../core/session.ts';
import { shellWord } from '../core/shell-word.ts';

/** No configuration comes near this. */
const LIMIT = 64_000;

// O_NONBLOCK: a FIFO must not hold us up.
const OPEN = constants.O_RDONLY | constants.O_NONBLOCK;

const REASONS: Readonly<Record<string, string>> = {
  ENXIO: 'is not a regular file',
  ELOOP: 'is a symbolic link',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not valid UTF-8',
};

const HINT = 'find out who put it there; correct it, or move it away';

function unfit(path: string, reason: string, cause?: unknown, hint = HINT): ZwarmError {
  return new ZwarmError('config', `${path} ${reason}`, hint, cause);
}

/** What a descriptor gives, and at most one byte above the limit: the size of a file that grows means nothing. */
function bytesOf(fd: number): Buffer {
  const bytes = Buffer.alloc(LIMIT + 1);
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(fd, bytes, done, bytes.length - done, done);
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}

/** Opens once, and looks at what was opened: a path may lead to something else a moment later. */
function read(path: string, flags: number): string | null {
  let fd: number | undefined;
  try {
    fd = openSync(path, flags);
    if (!fstatSync(fd).isFile()) throw unfit(path, 'is not a regular file');
    const bytes = bytesOf(fd);
    if (bytes.length > LIMIT) throw unfit(path, 'is larger than 64 kB');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof ZwarmError) throw error;
    const errno = errnoOf(error) ?? '';
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
    if (errno === 'EACCES') {
      // As root leaves it where sudo has kept the HOME of its user.
      const places = [dirname(path), path].map(shellWord).join(' ');
      throw unfit(path, 'may not be read', error, `see whose it is: ls -ld ${places}`);
    }
    throw unfit(path, REASONS[errno] ?? `cannot be read (${errno})`, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The user's own file, which may well be a link; null where there is none. @throws ZwarmError `config` */
export const readUserText = (path: string): string | null => read(path, OPEN);

/** A project's file, which an agent may have put there; null where there is none. @throws ZwarmError `config` */
export const readProjectText = (path: string): string | null => read(path, OPEN | constants.O_NOFOLLOW);

/** Does something with the text of a file; what is wrong with it names the file. @throws ZwarmError `config` */
export function withFile<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    const hint = `edit ${path}: one key = value on each line, texts in quotes, such as model = "gpt-5.5"`;
    throw new ZwarmError('config', `${path}: ${cutText(error.message, 200)}`, hint, error);
  }
}
