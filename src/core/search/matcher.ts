import { usageError } from '../errors.ts';

/** What is searched for; all of it must be in one line. A word or expression without capitals matches any case. */
export interface Query {
  readonly words?: readonly string[] | undefined;
  /** A regular expression of JavaScript. */
  readonly regex?: string | undefined;
}

/** Where in a line something was found. */
export interface Match {
  readonly from: number;
  readonly to: number;
}

/** Finds a query in a line: where the part of it that was given first is; null unless the line has all of them. */
export type Matcher = (line: string) => Match | null;

/** Whether capitals and small letters are the same for a word that a user typed. */
export const ignoresCase = (word: string): boolean => word.toLowerCase() === word;

/** Likewise for a regular expression: what stands for something else, such as `\S`, is no capital. */
export const regexIgnoresCase = (source: string): boolean =>
  ignoresCase(source.replace(/\\(?:[pP]\{[^}]*\}|.)/gsu, ''));

/** A text as a regular expression that matches this very text. */
export const literally = (text: string): string => text.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');

function compile(source: string): RegExp {
  try {
    return new RegExp(source, regexIgnoresCase(source) ? 'iu' : 'u');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError(why, 'to search for it as it is, leave out -e', error);
  }
}

/** Decides which lines match. @throws ZwarmError `usage` for an expression that is none, and where nothing is asked for */
export function createMatcher({ words = [], regex }: Query): Matcher {
  const patterns = words
    .filter((word) => word !== '')
    .map((word) => new RegExp(literally(word), ignoresCase(word) ? 'i' : ''));
  if (regex !== undefined) patterns.push(compile(regex));
  if (patterns.length === 0) throw usageError('what to search for?', 'zwarm search WORD, or -e REGEX');
  return (line) => {
    let first: Match | null = null;
    for (const pattern of patterns) {
      const found = pattern.exec(line);
      if (found === null) return null;
      first ??= { from: found.index, to: found.index + found[0].length };
    }
    return first;
  };
}

/** The lines of a text, one by one. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from <= text.length; ) {
    const newline = text.indexOf('\n', from);
    const to = newline < 0 ? text.length : newline;
    yield text.slice(from, text[to - 1] === '\r' ? to - 1 : to);
    from = to + 1;
  }
}

const LONGEST_LINE = 500;
/** So much of a line that is cut is kept before what was found. */
const BEFORE = 100;

/** A line, cut around what was found in it. */
function cutAround(line: string, { from, to }: Match): string {
  if (line.length <= LONGEST_LINE) return line;
  const begin = to <= LONGEST_LINE ? 0 : from - BEFORE;
  const end = begin + LONGEST_LINE;
  const kept = line.slice(begin, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${begin > 0 ? '…' : ''}${kept}${end < line.length ? '…' : ''}`;
}

/** A line in which something was found: long ones are cut around it. */
export interface FoundLine {
  readonly line: string;
  /** What was found. */
  readonly match: string;
}

/** The lines of a text that match. */
export function* matchingLines(text: string, matches: Matcher): Generator<FoundLine> {
  for (const line of linesOf(text)) {
    const found = matches(line);
    if (found === null) continue;
    const match = line.slice(found.from, Math.min(found.to, found.from + LONGEST_LINE - BEFORE));
    yield { line: cutAround(line, found), match };
  }
}
