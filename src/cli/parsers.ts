import { usageError } from '../core/errors.ts';
import { requireWord } from '../core/suggest.ts';
import type { Parser } from './define-verb.ts';

export { parseDuration as duration } from '../core/time.ts';

/** A whole number of at least `least`. */
export function count(least: number): Parser<number> {
  return (text, flag) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least) return number;
    throw usageError(
      `${flag}: ${JSON.stringify(text)} is not a whole number of at least ${least}`,
      `write ${flag} ${least + 6}`,
    );
  };
}

/** One of the known words; `what` says what kind of word it is. */
export function oneOf<const Word extends string>(what: string, known: readonly Word[]): Parser<Word> {
  return (text) => requireWord(what, text, known);
}

/** Several of the known words, separated by commas. */
export function someOf<const Word extends string>(
  what: string,
  known: readonly Word[],
): Parser<readonly Word[]> {
  const one = oneOf(what, known);
  return (text, flag) => text.split(',').map((word) => one(word, flag));
}

/** A path to a directory. An empty one is an unset variable of a script, and not the current directory. */
export const directory: Parser<string> = (text, flag) => {
  if (text !== '') return text;
  throw usageError(`${flag} is empty`, 'name a directory, or leave it out');
};
