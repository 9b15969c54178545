import Table from 'cli-table3';
import type { Style } from './style.ts';
import { cutToWidth, widthOf } from './text/width.ts';

/** One column of a table for a terminal. */
export interface Column {
  readonly head: string;
  /** Neutralised. */
  readonly cells: readonly string[];
  /** A cell in its colours. */
  readonly paint?: (cell: string) => string;
  readonly align?: 'left' | 'right';
  /** Left out altogether, where false. */
  readonly isShown?: boolean;
  /** Its cells are cut to no less than this while the last column would get less than it likes. */
  readonly least?: number;
  /** Left out, the highest number first, while the last column would get less than it needs. */
  readonly dispensable?: number;
}

/** A column with the room of its cells. */
export interface Fitted extends Column {
  readonly room: number;
}

const GAP = 2;

/** What the last column likes, what it needs, and what it is not worth its while without. */
const [LIKED, NEEDED, USEFUL] = [60, 24, 8];

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((corner) => [side + corner, '']),
  ),
);

/** The columns that some width has room for, and how much of it each gets; the last one gets the rest. */
export function fitColumns(columns: readonly Column[], width: number): readonly Fitted[] {
  const wide = columns
    .filter(({ isShown = true }) => isShown)
    .map((column) => ({ ...column, room: Math.max(...[column.head, ...column.cells].map(widthOf)) }));
  const [last, others] = [wide.at(-1), wide.slice(0, -1)];
  if (last === undefined) return [];
  const left = () => width - others.reduce((sum, { room }) => sum + room + GAP, 0);
  for (const column of others) {
    const missing = Math.min(LIKED, last.room) - left();
    const least = Math.max(widthOf(column.head), column.least ?? Number.POSITIVE_INFINITY);
    if (missing > 0) column.room = Math.min(column.room, Math.max(least, column.room - missing));
  }
  if (left() >= Math.min(NEEDED, last.room)) return [...others, { ...last, room: left() }];
  const worst = Math.max(...others.map(({ dispensable = -1 }) => dispensable));
  if (worst >= 0)
    return fitColumns(
      wide.filter(({ dispensable }) => dispensable !== worst),
      width,
    );
  return left() < USEFUL ? others : [...others, { ...last, room: left() }];
}

/** Its time grows with the square of the rows, so that the library gets no more of them at once. */
const ROWS = 25;

/** A table without borders, its cells on one line each; CJK and emoji count two columns. */
export function renderTable(all: readonly Column[], { paint, width }: Style): string {
  const columns = fitColumns(all, width);
  const cellOf = ({ align, room }: Fitted, text: string): string => {
    const cell = cutToWidth(text, room);
    return align === 'right' ? ' '.repeat(room - widthOf(cell)) + cell : cell;
  };
  const rows = [columns.map((column) => paint.dim(cellOf(column, column.head)))];
  for (const row of columns[0]?.cells.keys() ?? [])
    rows.push(
      columns.map((column) => {
        const cell = cellOf(column, column.cells[row] ?? '');
        return column.paint?.(cell) ?? cell;
      }),
    );
  let text = '';
  for (let at = 0; at < rows.length; at += ROWS) {
    const table = new Table({
      chars: { ...NO_BORDERS, middle: '' },
      // Without a width for the last column: the library would fill it up with spaces.
      colWidths: columns.slice(0, -1).map(({ room }) => room + GAP),
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    });
    table.push(...rows.slice(at, at + ROWS));
    text += `${table.toString().replace(/ +$/gm, '')}\n`;
  }
  return text;
}
