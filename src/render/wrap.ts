import { type Character, charactersOf } from './width.ts';

/** Some neutralised text in one colour. A newline in it ends the line. */
export interface Span {
  readonly text: string;
  readonly paint: (text: string) => string;
}

interface Cell extends Character {
  readonly span: Span;
}

/** A line of a wrapped text, painted, and the columns that it takes. */
export type WrappedLine = Character;

const READABLE = 100;

/** The columns of running text: longer lines are hard to read, however wide the terminal. Infinite stays infinite. */
export function readable(width: number): number {
  return width === Number.POSITIVE_INFINITY ? width : Math.min(width, READABLE);
}

const TAB = 8;

/** What stays with the wide character before it: in scripts without spaces a line may begin with anything else. */
const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}ーぁぃぅぇぉっゃゅょァィゥェォッャュョ~〜]/u;

function columnsOfCells(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.columns, 0);
}

function paintLine(cells: readonly Cell[]): WrappedLine {
  const pieces: { text: string; readonly span: Span }[] = [];
  for (const { text, span } of cells) {
    const last = pieces.at(-1);
    if (last?.span === span) last.text += text;
    else pieces.push({ text, span });
  }
  const line = pieces.map(({ text, span }) => span.paint(text)).join('');
  return { text: line, columns: columnsOfCells(cells) };
}

/**
 * Lines of at most so many columns, broken at spaces and between wide characters; what has neither is broken where the
 * line ends, since a terminal would go on at its first column.
 */
export function wrapLines(spans: readonly Span[], columns: number): WrappedLine[] {
  const lines: WrappedLine[] = [];
  let line: Cell[] = [];
  let used = 0;
  // Where the line may be broken: the number of cells that stay on it, or 0.
  let breakAt = 0;
  let continued = false;

  const end = (kept: number, broken: boolean): void => {
    const cells = line.slice(0, kept);
    const words = broken ? cells.findLastIndex(({ text }) => text !== ' ') + 1 : kept;
    lines.push(paintLine(cells.slice(0, words)));
    line = line.slice(kept);
    used = columnsOfCells(line);
    breakAt = 0;
    continued = broken;
  };

  const add = (cell: Cell): void => {
    const before = line.at(-1);
    const space = cell.text === ' ';
    if (space && continued && before === undefined) return;
    const wide = before !== undefined && (before.columns > 1 || cell.columns > 1) && before.text !== ' ';
    if (wide && !space && !CLOSING.test(cell.text)) breakAt = line.length;
    while (used + cell.columns > columns && line.length > 0) {
      end(space || breakAt === 0 ? line.length : breakAt, true);
      if (space) return;
    }
    line.push(cell);
    used += cell.columns;
    // Not behind the spaces at the beginning: they belong to the first word.
    if (space && before !== undefined && (breakAt > 0 || before.text !== ' ')) breakAt = line.length;
  };

  for (const span of spans) {
    for (const [i, part] of span.text.split('\n').entries()) {
      if (i > 0) end(line.length, false);
      for (const { text, columns: width } of charactersOf(part)) {
        if (text !== '\t') add({ text, columns: width, span });
        else for (let n = TAB - (used % TAB); n > 0; n -= 1) add({ text: ' ', columns: 1, span });
      }
    }
  }
  end(line.length, false);
  return lines;
}

/** The same, without the widths of the lines. */
export function wrapSpans(spans: readonly Span[], columns: number): string[] {
  return wrapLines(spans, columns).map(({ text }) => text);
}

/** The same for neutralised text of one colour. Infinite columns break it at its newlines alone, and keep its tabs. */
export function wrapText(text: string, columns: number, paint: Span['paint'] = String): string[] {
  if (columns === Number.POSITIVE_INFINITY) return text.split('\n').map((line) => paint(line));
  return wrapSpans([{ text, paint }], columns);
}
