import stringWidth from 'string-width';
import { safeLine } from './safe-text.ts';

const graphemes = new Intl.Segmenter();

/** Letters with marks and joined emoji take several code units per column; more than this is no text. */
const UNITS_PER_COLUMN = 16;

/** The columns of one character as a reader sees it. Many terminals draw the parts of a joined emoji one by one. */
function columnsOf(character: string): number {
  const parts = character.match(/\p{Extended_Pictographic}|\p{Emoji_Modifier}/gu)?.length ?? 0;
  return parts > 1 ? 2 * parts : stringWidth(character);
}

/** So much of a text as can matter for some columns, without half of a surrogate pair at its end. */
function beginning(text: string, columns: number): string {
  return text.slice(0, columns * UNITS_PER_COLUMN).replace(/[\ud800-\udbff]$/, '');
}

/**
 * A text of one line cut to some columns, between characters as a reader sees them, with an ellipsis where it was cut.
 * However long the text, only its beginning is looked at.
 */
export function cutToWidth(text: string, columns: number): string {
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

/** The beginning of any text as one harmless line of at most so many columns. */
export function lineOf(text: string, columns: number): string {
  const near = beginning(text, columns);
  return cutToWidth(`${safeLine(near)}${near.length < text.length ? '…' : ''}`, columns);
}
