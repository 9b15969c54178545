import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter();

/** A text of one line cut to some columns, between characters as a reader sees them, with an ellipsis where it was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > columns - 1) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}
