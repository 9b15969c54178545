import Table from 'cli-table3';
import type { Style } from './style.ts';
import { cutToWidth, widthOf } from './width.ts';

/** One column of a table for a terminal. */
export interface Column {
  readonly head: string;
  /** Neutralised. */
  readonly cells: readonly string[];
  /** A cell in its colours. */
  readonly paint?: (cell: string) => string;
  /** Left out altogether, where false. */
  readonly isShown?: boolean;
  /** Left out, the highest number first, while the last column would get less than it needs. */
  readonly dispensable?: number;
}

const GAP = 2;
const LAST_MINIMUM = 16;

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((corner) => [side + corner, '']),
  ),
);

/** A table without borders. The last column is plain text, cut where the width ends; CJK and emoji count two columns. */
export function renderTable(columns: readonly Column[], { paint, width }: Style): string {
  let shown = columns
    .filter(({ isShown = true }) => isShown)
    .map((column) => ({
      ...column,
      room: Math.max(...[column.head, ...column.cells].map(widthOf)) + GAP,
    }));
  const left = (): number => width - shown.slice(0, -1).reduce((sum, { room }) => sum + room, 0);
  const ranks = columns.flatMap(({ dispensable }) => dispensable ?? []).sort((a, b) => a - b);
  while (left() < LAST_MINIMUM && ranks.length > 0) {
    const worst = ranks.pop();
    shown = shown.filter(({ dispensable }) => dispensable !== worst);
  }
  const table = new Table({
    chars: { ...NO_BORDERS, middle: '' },
    // Without a width for the last column: the library would cut through the middle of an emoji.
    colWidths: shown.slice(0, -1).map(({ room }) => room),
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(shown.map(({ head }) => paint.dim(head)));
  const last = Math.max(1, left());
  for (const row of shown[0]?.cells.keys() ?? []) {
    const cells = shown.map(({ cells, paint: colour = String }) => colour(cells[row] ?? ''));
    table.push([...cells.slice(0, -1), cutToWidth(cells.at(-1) ?? '', last)]);
  }
  return table.toString().replace(/ +$/gm, '') + '\n';
}
