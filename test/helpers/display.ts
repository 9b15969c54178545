/** Escape sequences that colour text. */
const COLOURS = /\x1b\[[0-9;]*m/g;

/** Text as it is without its colours. */
export function plain(text: string): string {
  return text.replace(COLOURS, '');
}

// Rough on purpose, and independent of the library that draws the tables: East Asian wide and emoji take two columns.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** The columns that a line takes on a terminal. */
export function columnsOf(line: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(plain(line))) {
    columns += WIDE.test(segment) ? 2 : 1;
  }
  return columns;
}

/**
 * What must reach no terminal and no pipe, written down once more and without properties of Unicode: control characters
 * but tab and newline, bidi controls, separators, what is invisible (but for the joiner and the selector that emoji
 * need), tags, halves of surrogate pairs.
 */
export const DRIVES =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0e]|\udb40|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A line that may be longer than the terminal: one path or address, behind what marks its place. */
export const ONE_PATH = /^(?:[\s│•✓☐#]|\d+\.)*(?=[^/]*\/)[\p{L}\p{M}\p{N}!-~]{1,1100}$/u;

/** The lines that would drive a terminal of so many columns, or do not fit on it. */
export function unfit(lines: readonly string[], columns: number): readonly string[] {
  return lines.filter((line) => DRIVES.test(line) || columnsOf(line) > columns);
}
