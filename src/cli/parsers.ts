import { usageError } from '../core/errors.ts';
import { requireWord } from '../core/suggest.ts';
import type { Parser } from './define-verb.ts';

export { parseDuration as duration } from '../core/time.ts';

/** A number of some form and at least `least`; `what` names it and `example` shows one in the error. */
export function number(form: RegExp, least: number, what: string, example: string): Parser<number> {
  return (text, name) => {
    if (form.test(text) && Number(text) >= least) return Number(text);
    throw usageError(`${name}: ${JSON.stringify(text)} is not ${what}`, `write ${name} ${example}`);
  };
}

/** A whole number of at least `least`. */
export function count(least: number): Parser<number> {
  return number(/^\d{1,9}$/, least, `a whole number of at least ${least}`, String(least + 6));
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
  return (text, name) => text.split(',').map((word) => oneOf(what, known)(word, name));
}

/** A path to a directory. An empty one is an unset variable of a script, and not the current directory. */
export const directory: Parser<string> = (text, name) => {
  if (text !== '') return text;
  throw usageError(`${name} is empty`, 'name a directory, or leave it out');
};
