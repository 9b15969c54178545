import stringWidth from 'string-width';
import { safeLine } from './safe-text.ts';

const graphemes = new Intl.Segmenter();

const ASCII = /^[\x20-\x7e]*$/;

/** Letters with marks and joined emoji take several code units per column, but never more than this. */
const UNITS_PER_COLUMN = 16;

// Measured once: a page of a large alphabet asks a hundred thousand times.
const measured = new Map<string, number>();

/** The columns of one character as a reader sees it. Many terminals draw the parts of a joined emoji one by one. */
function columnsOf(character: string): number {
  const known = measured.get(character);
  if (known !== undefined) return known;
  const parts = character.match(/\p{Extended_Pictographic}|\p{Emoji_Modifier}/gu)?.length ?? 0;
  const columns = parts > 1 ? 2 * parts : stringWidth(character);
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
  if (ASCII.test(text)) {
    for (const character of text) yield { text: character, columns: 1 };
    return;
  }
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    for (const { segment } of graphemes.segment(text.slice(from, to))) {
      const parts = segment.length > UNITS_PER_COLUMN ? segment : [segment];
      for (const part of parts) yield { text: part, columns: columnsOf(part) };
    }
    from = to;
  }
}

/** The columns of a text of one line. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const character of charactersOf(text)) columns += character.columns;
  return columns;
}

/** The beginning of a text that some columns can show, without half of a surrogate pair at its end. */
function beginning(text: string, columns: number): string {
  return text.slice(0, columns * UNITS_PER_COLUMN).replace(/[\ud800-\udbff]$/, '');
}

/** A text of one line, cut to some columns with an ellipsis. However long it is, only its beginning is looked at. */
export function cutToWidth(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text;
  const near = beginning(text, columns);
  let width = 0;
  let kept = 0;
  for (const { segment, index } of graphemes.segment(near)) {
    width += columnsOf(segment);
    // One column is for the ellipsis.
    if (width < columns) kept = index + segment.length;
    if (width > columns) break;
  }
  return width <= columns && near.length === text.length ? text : `${near.slice(0, kept).trimEnd()}…`;
}

/** The beginning of any text as one safe line of at most some columns. */
export function lineOf(text: string, columns: number): string {
  const near = beginning(text, columns);
  return cutToWidth(`${safeLine(near)}${near.length < text.length ? '…' : ''}`, columns);
}
