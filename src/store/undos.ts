import { createFile, discard, makeDirs } from './files.ts';
import { type SessionDir, undosDir } from './layout.ts';
import { entriesOf, readText, unlessDamaged } from './read-file.ts';
import { encode, parse, type UndoRecord } from './records.ts';

/** An undo with its number, from 1. */
export type NumberedUndo = UndoRecord & { readonly number: number };

const FILE = /^([1-9][0-9]{0,8})\.json$/;

/** The undos of a session, oldest first; one that cannot be read counts as absent. */
export function readUndos(session: SessionDir): readonly NumberedUndo[] {
  const numbers = entriesOf(undosDir(session)).flatMap(({ name }) => FILE.exec(name)?.[1] ?? []);
  return numbers
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((number) => {
      const text = unlessDamaged(() => readText(`${undosDir(session)}/${number}.json`));
      const record = text === null ? null : unlessDamaged(() => parse.undo(text));
      return record === null ? [] : [{ ...record, number }];
    });
}

/** Records an undo under the next number. @throws EEXIST where another command was first */
export function recordUndo(session: SessionDir, number: number, record: UndoRecord): void {
  makeDirs(undosDir(session));
  createFile(`${undosDir(session)}/${number}.json`, encode(record));
}

/** Takes back the record of an undo that was not carried out. */
export function discardUndo(session: SessionDir, number: number): void {
  discard(`${undosDir(session)}/${number}.json`);
}
