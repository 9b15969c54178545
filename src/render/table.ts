import Table from 'cli-table3';
import type { Style } from './style.ts';

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

/**
 * A table without borders for a terminal. The last column takes what is left of the width and is cut there; widths
 * are display widths, right for CJK and emoji.
 */
export function renderTable(columns: readonly Column[], { paint, width }: Style): string {
  const shown = fitting(columns, width);
  const fixed = shown.slice(0, -1).map((column) => column.width + GAP);
  const last = Math.max(LAST_MINIMUM, width - fixed.reduce((sum, w) => sum + w, 0));
  const none = Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
      [side, `${side}-mid`, `${side}-left`, `${side}-right`].map((key) => [key, '']),
    ),
  );
  const table = new Table({
    chars: { ...none, middle: '', 'mid-mid': '' },
    colWidths: [...fixed, last],
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    truncate: '…',
  });
  table.push(shown.map((column) => paint.dim(column.head)));
  const rows = shown[0]?.cells.length ?? 0;
  for (let i = 0; i < rows; i += 1) table.push(shown.map((column) => column.cells[i] ?? ''));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}
