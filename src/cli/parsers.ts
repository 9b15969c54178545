import { AMOUNT_FORM, type Amount, parseAmount, UNITS } from '../core/amount.ts';
import { usageError } from '../core/errors.ts';
import { requireWord } from '../core/suggest.ts';
import { parseDuration, parseIso } from '../core/time.ts';
import type { Completion, Parser } from './define-verb.ts';

export { parseDuration as duration } from '../core/time.ts';

/** A number of some form, from `least` to `most`; `what` names it and `example` shows one in the error. */
export function number(
  form: RegExp,
  least: number,
  what: string,
  example: string,
  most = Number.POSITIVE_INFINITY,
): Parser<number> {
  return (text, name) => {
    if (form.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw usageError(`${name}: ${JSON.stringify(text)} is not ${what}`, `write ${name} ${example}`);
  };
}

/** A whole number of at least `least`. */
export function count(least: number): Parser<number> {
  return number(/^\d{1,9}$/, least, `a whole number of at least ${least}`, String(least + 6));
}

/** A whole number from 1 to `most`. */
export const upTo = (most: number): Parser<number> =>
  number(/^\d{1,9}$/, 1, `a whole number from 1 to ${most}`, '3', most);

/** A time as it is printed, or a duration until now: what it is (ms since the epoch) by what time it is now. */
export const moment: Parser<(nowMs: number) => number> = (text, name) => {
  const ms = parseIso(text);
  if (ms !== null) return () => ms;
  if (!/^[\d.]+[smhd]?$/.test(text))
    throw usageError(
      `${name}: ${JSON.stringify(text)} is neither a duration nor a time`,
      'write 45s, 10m, 2h or 3d, or a time in UTC: 2026-01-31T09:30:00Z',
    );
  const ago = parseDuration(text, name);
  return (nowMs) => nowMs - ago;
};

/** A number of bytes: `50MB`, `1.5G`, or without a unit. */
export const size: Parser<number> = (text, name) => {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([kMG]?)B?$/.exec(text) ?? [];
  if (Number(number) > 0) return Math.ceil(Number(number) * (UNITS[unit] ?? 1));
  throw usageError(`${name}: ${JSON.stringify(text)} is not a size`, `write ${name} 50MB or 1GB`);
};

/** What may be spent: tokens or money. */
export const spending: Parser<Amount> = (text, name) => {
  const amount = parseAmount(text);
  if (amount !== null) return amount;
  throw usageError(`${name}: ${JSON.stringify(text)} is not an amount`, `write ${AMOUNT_FORM}`);
};

/** Any text, of which the shell can complete this, if anything. */
export function text(complete?: Completion): Parser<string> {
  return Object.assign((given: string) => given, { complete });
}

/** One of the known words; `what` says what kind of word it is. */
export function oneOf<const Word extends string>(what: string, known: readonly Word[]): Parser<Word> {
  return Object.assign((given: string) => requireWord(what, given, known), { complete: { words: known } });
}

/** Several of the known words, separated by commas. */
export function someOf<const Word extends string>(
  what: string,
  known: readonly Word[],
): Parser<readonly Word[]> {
  const one = oneOf(what, known);
  const read: Parser<readonly Word[]> = (given, name) => given.split(',').map((word) => one(word, name));
  return Object.assign(read, { complete: { words: known, several: true } });
}

/** A path to a directory. An empty one is an unset variable of a script, and not the current directory. */
export const directory: Parser<string> = Object.assign(
  (given: string, name: string) => {
    if (given !== '') return given;
    throw usageError(`${name} is empty`, 'name a directory, or leave it out');
  },
  { complete: 'directory' } as const,
);
