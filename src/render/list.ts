import type { SessionSummary } from '../core/session.ts';
import { parseIso } from '../core/time.ts';
import { safeLine } from './safe-text.ts';
import { paintStatus, type Style, shortCount, shortSpan } from './style.ts';

function taskOf(row: SessionSummary): string {
  return safeLine(row.task ?? row.error?.message ?? '');
}

/** Rows for pipes: id, status, turn, agent, time of the last change and task, separated by tabs; no header. */
export function renderRows(rows: readonly SessionSummary[]): string {
  return rows
    .map((row) => {
      const cells = [
        row.id,
        row.status,
        String(row.turn ?? ''),
        row.agent ?? '',
        row.updated_at ?? '',
        taskOf(row),
      ];
      return `${cells.map(safeLine).join('\t')}\n`;
    })
    .join('');
}

function column(
  head: string,
  cells: readonly string[],
  paint: (cell: string, i: number) => string = (c) => c,
) {
  // All these are plain ASCII or cut by us: their length is their width.
  const width = Math.max(head.length, ...cells.map((cell) => cell.length));
  return { head, cells: cells.map(paint), width };
}

/** The list of sessions for a terminal; the table library is loaded only here. */
export async function renderList(rows: readonly SessionSummary[], style: Style): Promise<string> {
  const { renderTable } = await import('./table.ts');
  const age = (row: SessionSummary): string => {
    const updated = parseIso(row.updated_at);
    return updated === null ? '' : shortSpan(style.nowMs - updated);
  };
  const tokens = (row: SessionSummary): string =>
    row.token_usage === null ? '' : shortCount(row.token_usage.total_tokens);
  const names = rows.map((row) => safeLine(row.name ?? ''));
  const columns = [
    column(
      'ID',
      rows.map((row) => row.id),
    ),
    ...(names.some((name) => name !== '') ? [{ ...column('NAME', names), dispensable: 2 }] : []),
    column(
      'STATUS',
      rows.map((row) => row.status),
      (_, i) => {
        const row = rows[i];
        return row === undefined ? '' : paintStatus(row.status, style);
      },
    ),
    {
      ...column(
        'TURN',
        rows.map((row) => String(row.turn ?? '')),
      ),
      dispensable: 3,
    },
    { ...column('AGO', rows.map(age)), dispensable: 1 },
    { ...column('TOKENS', rows.map(tokens)), dispensable: 4 },
    column('TASK', rows.map(taskOf)),
  ];
  return renderTable(columns, style);
}
