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
