import { join } from 'node:path';
import { isErrno } from '../core/errors.ts';
import type { ProcessIdentity } from '../core/session.ts';
import { createFile, discard, discardEmpty, makeDirs, rename } from './files.ts';
import { BUILDING_PREFIX } from './layout.ts';
import { entriesOf, readText, unlessDamaged } from './read-file.ts';
import { encode, type PlaceRecord, parse } from './records.ts';

/*
 * What one process at a time does: `<generation>/claim.json` says who. The newest generation counts. It is claimed by the
 * rename of a complete directory: of several exactly one wins.
 */

/** The newest generation, and who claimed it: null where that cannot be read or was given up; 0 where none ever was. */
export interface Generation {
  readonly generation: number;
  readonly claimer: ProcessIdentity | null;
}

const CLAIM = 'claim.json';
const GIVEN_UP = 'given-up';

const newestIn = (directory: string): number =>
  Math.max(
    0,
    ...entriesOf(directory).flatMap(({ name }) => (/^[1-9][0-9]{0,8}$/.test(name) ? [Number(name)] : [])),
  );

/** The newest generation in a directory. */
export function readGeneration(directory: string): Generation {
  const generation = newestIn(directory);
  const claimer = unlessDamaged(() => {
    const text = readText(join(directory, String(generation), CLAIM));
    return text === null ? null : parse.place(text).claimer;
  });
  return { generation, claimer };
}

/** Claims the generation after the newest that was seen: its directory, or null where another command was faster. */
export function claimGeneration(
  directory: string,
  { generation }: Pick<Generation, 'generation'>,
  claimer: ProcessIdentity,
  unique: string,
): string | null {
  const building = join(directory, `${BUILDING_PREFIX}${unique}`);
  const mine = join(directory, String(generation + 1));
  makeDirs(building);
  try {
    const record: PlaceRecord = { v: 1, claimer };
    createFile(join(building, CLAIM), encode(record));
    rename(building, mine);
  } catch (error) {
    discard(building);
    if (isErrno(error, 'ENOTEMPTY', 'EEXIST')) return null;
    throw error;
  }
  remove(join(directory, String(generation)));
  // Where a newer one had come and gone over an older one, this claim was for a number that counts no longer.
  if (newestIn(directory) === generation + 1) return mine;
  remove(mine);
  return null;
}

/**
 * Gives a generation up. Its directory stays, and not empty: nobody who has seen the one before it can take its place, and
 * the next one has the number after it.
 */
export function giveUpGeneration(mine: string): void {
  try {
    rename(join(mine, CLAIM), join(mine, GIVEN_UP));
  } catch (error) {
    // A newer one has taken its place.
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}

function remove(directory: string): void {
  for (const { name } of unlessDamaged(() => entriesOf(directory)) ?? []) discard(join(directory, name));
  discardEmpty(directory);
}
