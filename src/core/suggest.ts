import { usageError, type ZwarmError } from './errors.ts';

/** A cell of a row of distances; beyond its ends there is none that counts. */
const at = (row: readonly number[], place: number): number => row[place] ?? Number.POSITIVE_INFINITY;

/** How many letters have to be added, left out, changed or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const change = at(row, j) + (a[i] === b[j] ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swap = isSwapped ? at(before, j - 1) + 1 : change;
      next.push(Math.min(change, swap, at(row, j + 1) + 1, at(next, j) + 1));
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

/** The known word that a mistyped one probably means, or null when none is near. */
export function closest(word: string, known: readonly string[]): string | null {
  const ranked = known
    .map((candidate) => ({ candidate, far: distance(word.slice(0, 40).toLowerCase(), candidate) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best && best.far <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : null;
}

/** The error for a word that is none of the known ones. */
export function unknownWord(what: string, word: string, known: readonly string[]): ZwarmError {
  const guess = closest(word, known);
  const hint = guess === null ? `choose one of: ${known.join(', ')}` : `did you mean ${guess}?`;
  return usageError(`unknown ${what} ${JSON.stringify(word)}`, hint);
}

/** The one of the known words that a text is. @throws ZwarmError `usage` */
export function requireWord<const Word extends string>(
  what: string,
  text: string,
  known: readonly Word[],
): Word {
  const found = known.find((word) => word === text);
  if (found !== undefined) return found;
  throw unknownWord(what, text, known);
}
