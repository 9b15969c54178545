import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { errnoOf, ZwarmError } from '../core/errors.ts';

/** No configuration comes near this. */
const LIMIT = 64_000;

function cannotBeRead(path: string, why: string, cause?: unknown): ZwarmError {
  return new ZwarmError(
    'config',
    `${path} ${why}`,
    'look who put it there; remove it, or move it away',
    cause,
  );
}

function read(path: string, stat: Stats): string {
  // Looked at before it is opened: a FIFO would hold us up.
  if (stat.isSymbolicLink()) throw cannotBeRead(path, 'is a symbolic link');
  if (!stat.isFile()) throw cannotBeRead(path, 'is no regular file');
  if (stat.size > LIMIT) throw cannotBeRead(path, `is larger than 64 kB`);
  const bytes = readFileSync(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ZwarmError('config', `${path} is not valid UTF-8`, `convert it: iconv -t UTF-8`, error);
  }
}

function readWith(look: typeof statSync, path: string): string | null {
  try {
    const stat = look(path, { throwIfNoEntry: false });
    return stat === undefined ? null : read(path, stat);
  } catch (error) {
    if (error instanceof ZwarmError) throw error;
    throw cannotBeRead(path, `cannot be read (${errnoOf(error)})`, error);
  }
}

/** The user's own file, which may well be a link; null where there is none. @throws ZwarmError `config` */
export function readUserText(path: string): string | null {
  return readWith(statSync, path);
}

/** A project's file, which an agent may have put there; null where there is none. @throws ZwarmError `config` */
export function readProjectText(path: string): string | null {
  return readWith(lstatSync, path);
}
