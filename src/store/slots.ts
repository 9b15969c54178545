import { join } from 'node:path';
import { isErrno } from '../core/errors.ts';
import { createFile, discard, discardEmpty, flush, makeDirs, rename } from './files.ts';
import { BUILDING_PREFIX, slotsDir } from './layout.ts';
import { entriesOf, readText } from './read-file.ts';
import { encode, parse, type SlotRecord } from './records.ts';

/*
 * The places for turns that run at once: `slots/<number>/<generation>/holder.json`. The newest generation of a place says
 * who has it. A generation is claimed like a turn, by the rename of a complete directory: of several exactly one wins.
 */

/** A place, and who had it last. */
export interface Slot {
  readonly number: number;
  readonly generation: number;
  readonly holder: SlotRecord;
}

const HOLDER = 'holder.json';

const numbersIn = (directory: string): number[] =>
  entriesOf(directory).flatMap(({ name }) => (/^[1-9][0-9]{0,8}$/.test(name) ? [Number(name)] : []));

const newestIn = (directory: string): number => Math.max(0, ...numbersIn(directory));

function removeGeneration(directory: string): void {
  discard(join(directory, HOLDER));
  discardEmpty(directory);
}

/** All places that anything ever had. @throws DamagedRecord */
export function readSlots(root: string): readonly Slot[] {
  const numbers = numbersIn(slotsDir(root)).sort((a, b) => a - b);
  return numbers.flatMap((number) => {
    const directory = join(slotsDir(root), String(number));
    for (;;) {
      const generation = newestIn(directory);
      if (generation === 0) return [];
      const text = readText(join(directory, String(generation), HOLDER));
      if (text !== null) return [{ number, generation, holder: parse.slot(text) }];
      // Older ones are removed when there is a newer one.
      if (newestIn(directory) === generation) return [];
    }
  });
}

/**
 * Claims a generation of a place, the one after the newest that was seen; false where another command was faster. `unique`
 * keeps the temporary files of two commands apart.
 */
export function takeSlot(root: string, { number, generation, holder }: Slot, unique: string): boolean {
  const directory = join(slotsDir(root), String(number));
  const [building, mine] = [
    join(directory, `${BUILDING_PREFIX}${unique}`),
    join(directory, String(generation)),
  ];
  makeDirs(building);
  try {
    createFile(join(building, HOLDER), encode(holder));
    rename(building, mine);
  } catch (error) {
    discard(building);
    if (isErrno(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
  flush(directory);
  // Where a newer one had come and gone over an older one, this claim was for a number that counts no longer.
  if (newestIn(directory) !== generation) {
    removeGeneration(mine);
    return false;
  }
  for (const older of numbersIn(directory))
    if (older < generation) removeGeneration(join(directory, String(older)));
  return true;
}
