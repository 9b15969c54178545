import { safeLine } from './safe-text.ts';
import type { Style } from './style.ts';
import { cutToWidth, widthOf } from './width.ts';

/** A key with its value, and where that comes from. */
export type EntryRow = readonly [key: string, value: string, origin: string];

/** Rows for pipes: the cells separated by tabs; no header. */
export function renderEntryRows(rows: readonly EntryRow[]): string {
  return rows.map((cells) => `${cells.map(safeLine).join('\t')}\n`).join('');
}

/** The same for a terminal; the table library is loaded only here. */
export async function renderEntries(rows: readonly EntryRow[], style: Style): Promise<string> {
  const { renderTable } = await import('./table.ts');
  const column = (head: string, at: 0 | 1 | 2) => {
    const cells = rows.map((cells) => cutToWidth(safeLine(cells[at]), Math.floor(style.width / 2)));
    return { head, cells, width: Math.max(head.length, ...cells.map(widthOf)) };
  };
  return renderTable([column('KEY', 0), column('VALUE', 1), column('ORIGIN', 2)], style);
}
