import { eastAsianWidth } from 'get-east-asian-width';
import { safeLine } from './safe-text.ts';

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text as readers see them. Making what finds them takes a fifth of a short command; most texts need none. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

// Characters of one code unit and one column, which never join the one before or behind them: letters of European
// languages, typographic signs, arrows, frames and ticks. Most texts have no others.
const NARROW =
  /^[\t\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0377\u0384-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u2319\u2500-\u25fc\u2713-\u2718]*$/;

/** Whether each code unit of a line, but for tabs, takes one column: then nothing of it need be measured. */
export function isNarrow(line: string): boolean {
  return NARROW.test(line);
}

/** Letters with marks and joined emoji take several code units per column, but never more than this. */
const UNITS_PER_COLUMN = 16;

// Measured once: a page of a large alphabet asks a hundred thousand times.
const measured = new Map<string, number>();

// Apart from these few lines, the library that knows emoji by name takes a sixth of a start to load.
function measure(character: string): number {
  // Many terminals draw the parts of a joined emoji one by one.
  const parts = character.match(/\p{Extended_Pictographic}|\p{Emoji_Modifier}/gu)?.length ?? 0;
  if (parts > 1) return 2 * parts;
  // The emoji form of a symbol or a key, and a flag.
  if (/.[\ufe0f\u20e3]|^\p{Regional_Indicator}{2}/u.test(character)) return 2;
  let columns = 0;
  for (const part of character) {
    if (/[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(part)) continue;
    const own = eastAsianWidth(part.codePointAt(0) ?? 0);
    // What else belongs to the first one is drawn within it.
    if (columns === 0 || own > 1 || /[\p{Mc}\uff00-\uffef]/u.test(part)) columns += own;
  }
  return columns;
}

/** The columns of one character as a reader sees it. */
function columnsOf(character: string): number {
  const known = measured.get(character);
  if (known !== undefined) return known;
  const columns = measure(character);
  // Only single code units are kept: there is no limit to the number of all others.
  if (character.length === 1) measured.set(character, columns);
  return columns;
}

/** Code units that are segmented at once: the time grows with the square of their number. */
const PIECE = 256;

/** Where a piece of a text ends: behind a space if there is one, else not within a surrogate pair. */
function endOfPiece(text: string, from: number): number {
  const to = from + PIECE;
  if (to >= text.length) return text.length;
  const space = text.lastIndexOf(' ', to - 1);
  if (space >= from) return space + 1;
  return /[\ud800-\udbff]/.test(text.charAt(to - 1)) ? to - 1 : to;
}

/** One character as a reader sees it, and its columns. */
export interface Character {
  readonly text: string;
  readonly columns: number;
}

/** The characters of a text. What is longer than any script writes comes by its code points. */
export function* charactersOf(text: string): Generator<Character> {
  if (isNarrow(text)) {
    for (const character of text) yield { text: character, columns: 1 };
    return;
  }
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    for (const { segment } of graphemesOf(text.slice(from, to))) {
      const parts = segment.length > UNITS_PER_COLUMN ? segment : [segment];
      for (const part of parts) yield { text: part, columns: columnsOf(part) };
    }
    from = to;
  }
}

/** The columns of a text of one line. */
export function widthOf(text: string): number {
  if (isNarrow(text)) return text.length;
  let columns = 0;
  for (const character of charactersOf(text)) columns += character.columns;
  return columns;
}

/** The beginning of a text that some columns can show, without half of a surrogate pair at its end. */
function beginning(text: string, columns: number): string {
  return text.slice(0, columns * UNITS_PER_COLUMN).replace(/[\ud800-\udbff]$/, '');
}

/** What is left of a text that was cut, which may have been cut before. */
const ellipsis = (text: string): string => `${text.replace(/[\s…·]+$/, '')}…`;

/** A text of one line, cut to some columns with an ellipsis. However long it is, only its beginning is looked at. */
export function cutToWidth(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text;
  const near = beginning(text, columns);
  if (isNarrow(near))
    return near.length <= columns ? text : ellipsis(near.slice(0, Math.max(0, columns - 1)));
  let width = 0;
  let kept = 0;
  for (const { segment, index } of graphemesOf(near)) {
    width += columnsOf(segment);
    // One column is for the ellipsis.
    if (width < columns) kept = index + segment.length;
    if (width > columns) break;
  }
  return width <= columns && near.length === text.length ? text : ellipsis(near.slice(0, kept));
}

/** The beginning of any text as one safe line of at most some columns. */
export function lineOf(text: string, columns: number): string {
  const near = beginning(text, columns);
  return cutToWidth(`${safeLine(near)}${near.length < text.length ? '…' : ''}`, columns);
}
