import Table from 'cli-table3';
import type { Style } from './style.ts';
import { cutToWidth } from './width.ts';

/** One column of a terminal table. `cells` are ready to print: neutralised and painted. */
export interface Column {
  readonly head: string;
  readonly cells: readonly string[];
  /** Display width of the widest cell. */
  readonly width: number;
  /** Left out, the highest number first, while the last column would get less than it needs. */
  readonly dispensable?: number;
}

const GAP = 2;
const LAST_MINIMUM = 16;

function fitting(columns: readonly Column[], total: number): readonly Column[] {
  const fixed = columns.slice(0, -1).reduce((sum, column) => sum + column.width + GAP, 0);
  if (total - fixed >= LAST_MINIMUM) return columns;
  const ranks = columns.flatMap((column) => column.dispensable ?? []);
  if (ranks.length === 0) return columns;
  const worst = Math.max(...ranks);
  return fitting(
    columns.filter((column) => column.dispensable !== worst),
    total,
  );
}

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((corner) => [side + corner, '']),
  ),
);

/**
 * A table without borders for a terminal. The last column is plain text; it takes what is left of the width and is
 * cut there. Widths are display widths, right for CJK and emoji.
 */
export function renderTable(columns: readonly Column[], { paint, width }: Style): string {
  const shown = fitting(columns, width);
  const fixed = shown.slice(0, -1).map((column) => column.width + GAP);
  const left = Math.max(1, width - fixed.reduce((sum, w) => sum + w, 0));
  const table = new Table({
    chars: { ...NO_BORDERS, middle: '' },
    // Without a width for the last column: the library would cut through the middle of an emoji.
    colWidths: fixed,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(shown.map((column) => paint.dim(column.head)));
  const rows = shown[0]?.cells.length ?? 0;
  for (let i = 0; i < rows; i += 1) {
    const cells = shown.map((column) => column.cells[i] ?? '');
    table.push([...cells.slice(0, -1), cutToWidth(cells.at(-1) ?? '', left)]);
  }
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}
