import { usageError, type ZwarmError } from './errors.ts';

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, right] of [...b].entries()) {
      const change = (row[j] ?? 0) + (left === right ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
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
