import { safeLines, safeText } from './safe-text.ts';
import { type Character, charactersOf, isNarrow } from './width.ts';

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

/** What a path may hold beside letters and digits. Braces and the like are left out: JSON without spaces is no path. */
const SIGNS = '!"#$%&\'()*+,\\-./:=?@[\\]^_`~';

/**
 * A path or an address that is longer than its line stays whole, to be copied: the terminal goes on with it at its first
 * column. It has no space and no rule, so that it cannot pose as a line of zwarm, and no more than so many columns.
 */
const IN_PATH = new RegExp(`^[\\p{L}\\p{N}${SIGNS}]\\p{M}*$`, 'u');
const PATH = new RegExp(`^ *(?=[^/]*/)[\\p{L}\\p{M}\\p{N}${SIGNS}]+$`, 'u');
const LONGEST_PATH = 1024;

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
 * line ends, since a terminal would go on at its first column. Each is made when it is asked for.
 * @param keepsPaths whether a path that is longer stays whole
 */
export function* wrapLines(
  spans: readonly Span[],
  columns: number,
  keepsPaths = false,
): Generator<WrappedLine> {
  let done: WrappedLine[] = [];
  let line: Cell[] = [];
  let used = 0;
  // Where the line may be broken: the number of cells that stay on it, or 0.
  let breakAt = 0;
  let continued = false;
  let isPath = false;

  const end = (kept: number, broken: boolean): void => {
    const cells = line.slice(0, kept);
    const words = broken ? cells.findLastIndex(({ text }) => text !== ' ') + 1 : kept;
    done.push(paintLine(cells.slice(0, words)));
    line = line.slice(kept);
    used = columnsOfCells(line);
    breakAt = 0;
    continued = broken;
    isPath = false;
  };

  const add = (cell: Cell): void => {
    const before = line.at(-1);
    const space = cell.text === ' ';
    if (space && continued && before === undefined) return;
    const wide = before !== undefined && (before.columns > 1 || cell.columns > 1) && before.text !== ' ';
    if (wide && !space && !CLOSING.test(cell.text)) breakAt = line.length;
    while (used + cell.columns > columns && line.length > 0) {
      if (breakAt === 0 && keepsPaths && used < LONGEST_PATH && IN_PATH.test(cell.text)) {
        isPath ||= PATH.test(line.map(({ text }) => text).join(''));
        if (isPath) break;
      }
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
        if (done.length === 0) continue;
        yield* done;
        done = [];
      }
    }
  }
  end(line.length, false);
  yield* done;
}

/** The same at once, without the widths of the lines, and with all paths whole. */
export function wrapSpans(spans: readonly Span[], columns: number): string[] {
  return Array.from(wrapLines(spans, columns, true), ({ text }) => text);
}

/** Where the path ends that fills a line up to `full`; there, if it is none. */
function endOfPath(line: string, from: number, full: number): number {
  if (!PATH.test(line.slice(from, full))) return full;
  let end = full;
  while (end < line.length && end - from < LONGEST_PATH && IN_PATH.test(line.charAt(end))) end += 1;
  return end;
}

/** One line of narrow characters, broken in the same way, but without a look at each of them. */
function* wrapNarrow(line: string, columns: number): Generator<string> {
  const most = Math.max(1, columns);
  let from = 0;
  while (line.length - from > most) {
    const full = from + most;
    // Not before: in a word without end each line would look at all of those before it.
    const space = from + line.slice(from, full + 1).lastIndexOf(' ');
    // Not behind the spaces at the beginning: they belong to the first word.
    const word = space === full || (space > from && /[^ ]/.test(line.slice(from, space)));
    const end = word ? space : endOfPath(line, from, full);
    yield line.slice(from, end).replace(/ +$/, '');
    if (end === line.length) return;
    for (from = end; line[from] === ' '; from += 1);
  }
  yield line.slice(from);
}

/** A line with spaces for its tabs. */
function withoutTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let text = '';
  for (const [i, part] of line.split('\t').entries())
    text += i === 0 ? part : ' '.repeat(TAB - (text.length % TAB)) + part;
  return text;
}

/** So long a text is split at once. */
const AT_ONCE = 1 << 15;

/** One line of one colour. Most are of narrow characters, and fit: of those nothing is measured. */
function* wrapLine(line: string, columns: number, paint: Span['paint']): Generator<string> {
  if (columns === Number.POSITIVE_INFINITY) yield paint(line);
  else if (isNarrow(line)) for (const part of wrapNarrow(withoutTabs(line), columns)) yield paint(part);
  else for (const { text } of wrapLines([{ text: line, paint }], columns, true)) yield text;
}

/**
 * The lines of any text, neutralised, in one colour. Infinite columns break it at its newlines alone, and keep its tabs.
 * Each line is made when it is asked for, unless there is nothing to be done for it.
 */
export function textLines(text: string, columns: number, paint: Span['paint'] = String): Iterable<string> {
  if (columns === Number.POSITIVE_INFINITY && text.length <= AT_ONCE)
    return safeText(text)
      .split('\n')
      .map((line) => paint(line));
  return wrappedLines(text, columns, paint);
}

function* wrappedLines(text: string, columns: number, paint: Span['paint']): Generator<string> {
  for (const line of safeLines(text)) yield* wrapLine(line, columns, paint);
}
