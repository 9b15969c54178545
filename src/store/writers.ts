import { readlinkSync } from 'node:fs';
import { isErrno } from '../core/errors.ts';
import { isSessionId, parseTurnNumber, type SessionId } from '../core/ids.ts';
import { discard, makeDirs, symlink } from './files.ts';
import { type TurnDir, writerLink, writersDir } from './layout.ts';
import { entriesOf, unlessDamaged } from './read-file.ts';

/*
 * writers/<id>.<turn> is a link that names the directory in which the agent of a turn may write, from its launch until it is
 * settled: so that one look at a small directory tells who works where. What it says decides nothing.
 */

/** A turn whose agent may write in a directory, unless it has ended without being settled. */
export interface Writer {
  readonly id: SessionId;
  readonly turn: number;
  readonly directory: string;
}

/** Notes that the agent of a turn is about to write in a directory. */
export function noteWriter(turn: TurnDir, directory: string): void {
  makeDirs(writersDir(turn.store.root));
  try {
    symlink(directory, writerLink(turn));
  } catch (error) {
    // Two commands may launch a turn that waited.
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}

/** Forgets it. */
export function forgetWriter(turn: TurnDir): void {
  discard(writerLink(turn));
}

/** All that were noted. */
export function listWriters(root: string): readonly Writer[] {
  return (unlessDamaged(() => entriesOf(writersDir(root))) ?? []).flatMap(({ name }) => {
    const [id = '', number = ''] = name.split('.');
    const turn = parseTurnNumber(number);
    if (!isSessionId(id) || turn === null) return [];
    try {
      return [{ id, turn, directory: readlinkSync(writerLink({ store: { root }, id, turn })) }];
    } catch (error) {
      // It was settled at this moment.
      if (isErrno(error, 'ENOENT', 'EINVAL')) return [];
      throw error;
    }
  });
}
