import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter();

/** The columns that a text takes on a terminal; East Asian characters and emoji take two. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** A text of one line cut to some columns, between characters as a reader sees them, with an ellipsis where it was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += displayWidth(segment);
    if (width > columns - 1) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}
