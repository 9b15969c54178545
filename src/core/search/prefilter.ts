import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ignoresCase, literally, type Query, regexIgnoresCase } from './matcher.ts';

/*
 * Which bytes a file must hold before anything can be found in it. Most of what an agent prints has nothing that is
 * searched for: to see that in the bytes takes a fraction of the time to parse them. It may say that there could be
 * something where there is nothing, and never the reverse.
 */

/** A file whose bytes, each read as a character of Latin-1, match none of these holds nothing that is searched for. */
export interface Prefilter {
  readonly patterns: readonly RegExp[];
  /** A match has at most so many bytes. */
  readonly longest: number;
}

/** A text that a match holds. */
interface Literal {
  readonly text: string;
  /** Whether it may be there in capitals, too. */
  readonly anyCase: boolean;
}

const CHARACTER_CLASS = /^\\[bBdDsSwW]$|^\[.|^[.^$]$/su;
const UNCERTAIN = /^\\\w$|^[()]$/u;
const OPTIONAL = /^(?:[*?]|\{.+)$/u;

/** Of each alternative of a valid regular expression the texts that what it matches must hold; null where that is not simple. */
function literalsIn(source: string): readonly (readonly string[])[] | null {
  const tokens = source.match(/\[(?:\\.|[^\]\\])*\]|\{[\d,]+\}|\\.|./gsu) ?? [];
  let texts: string[][] = [[]];
  const alternatives = [texts];
  for (const token of tokens) {
    if (token === '|') {
      texts = [[]];
      alternatives.push(texts);
    } else if (CHARACTER_CLASS.test(token) || token === '+') texts.push([]);
    else if (OPTIONAL.test(token)) {
      texts.at(-1)?.pop();
      texts.push([]);
    } else if (UNCERTAIN.test(token)) return null;
    else texts.at(-1)?.push(token.replace(/^\\/, ''));
  }
  return alternatives.map((all) => all.map((characters) => characters.join('')));
}

/**
 * What of a text stands in JSON as it is, or as an escape of its number: neither what has an escape of its own, nor what
 * a parser or a reader of shell commands may have put in.
 */
const WRITTEN_AS_IT_IS = /[^\0-\x20"$'/\\`\x7f\ufffd\p{Cs}]+/gu;

/** Whether all forms of a character, capital or small, have the same bytes but for the case of ASCII. */
const isPlain = (character: string): boolean =>
  /^[\x21-\x7e]$/.test(character) ||
  (character.toLowerCase() === character && character.toUpperCase() === character);

/** The longest part of texts that stands like that in any stream that has them: the longest is the rarest. */
function longestPart(texts: readonly string[], anyCase: boolean): Literal | null {
  const runs = texts.flatMap((text) => text.match(WRITTEN_AS_IT_IS) ?? []);
  const plain = (run: string) => Array.from(run, (character) => (isPlain(character) ? character : ' '));
  const parts = anyCase ? runs.flatMap((run) => plain(run).join('').split(' ')) : runs;
  const text = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
  return text === '' ? null : { text, anyCase };
}

/** With the `u` of a regular expression two letters have a further form: the signs of kelvin and of long s. */
const FURTHER_FORMS = { k: '\u212a', s: '\u017f' };

const asLatin = (text: string): string => String.fromCharCode(...utf8ToBytes(text));

/** The bytes of a text. */
function bytesOf({ text, anyCase }: Literal): RegExp {
  const pattern = literally(asLatin(text));
  if (!anyCase) return new RegExp(pattern);
  const { k, s } = FURTHER_FORMS;
  return new RegExp(pattern.replace(/k/gi, `(?:k|${asLatin(k)})`).replace(/s/gi, `(?:s|${asLatin(s)})`), 'i');
}

/** How the characters of a text are written as escapes. */
function escapesOf({ text, anyCase }: Literal): RegExp {
  const forms = anyCase
    ? text.toLowerCase() + text.toUpperCase() + Object.values(FURTHER_FORMS).join('')
    : text;
  const units = new Set(forms.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0')));
  return new RegExp(`\\\\u(?:${[...units].join('|')})`, 'i');
}

/** What a character takes at most, in UTF-8 or as an escape. */
const MOST_BYTES = 6;

/** The bytes to look for first; null where every file may hold a match. */
export function prefilterOf({ words = [], regex }: Query): Prefilter | null {
  const ofRegex = regex === undefined ? null : literalsIn(regex);
  const isAnyCase = regex !== undefined && regexIgnoresCase(regex);
  // One of each must be there.
  const needed = [
    ...words.map((word) => [longestPart([word], ignoresCase(word))]),
    ...(ofRegex === null ? [] : [ofRegex.map((texts) => longestPart(texts, isAnyCase))]),
  ].flatMap((all) => {
    const literals = all.filter((one) => one !== null);
    return literals.length === all.length ? [literals] : [];
  });
  const shortest = (literals: readonly Literal[]) => Math.min(...literals.map(({ text }) => text.length));
  const [best] = needed.sort((a, b) => shortest(b) - shortest(a));
  if (best === undefined) return null;
  return {
    patterns: best.flatMap((literal) => [bytesOf(literal), escapesOf(literal)]),
    longest: MOST_BYTES * Math.max(...best.map(({ text }) => text.length)),
  };
}
