import type { SessionSummary } from '../core/session.ts';
import { parseIso } from '../core/time.ts';
import { taskOf } from './row.ts';
import { safeLine } from './safe-text.ts';
import { paintStatus, type Style, shortCount, shortSpan } from './style.ts';
import { lineOf, widthOf } from './width.ts';

const LONGEST_NAME = 41;

/** A session's name in a column: all that zwarm gives are ASCII, so another one was planted, and may not fit. */
function nameOf(row: SessionSummary): string {
  return (row.name ?? '').slice(0, LONGEST_NAME).replace(/[^\x20-\x7e]/gu, '?');
}

const LONGEST_FROM = 16;

/** Who started a session, in a column: agents of ours by the beginning of their session's id. */
function fromOf({ source }: SessionSummary): string {
  if (source === 'user') return 'you';
  const short = (source ?? '').replace(/^orchestrator:(.{4}).*$/s, 'orch:$1');
  return short.slice(0, LONGEST_FROM).replace(/[^\x20-\x7e]/gu, '?');
}

function column(
  head: string,
  cells: readonly string[],
  paint: (cell: string, i: number) => string = (c) => c,
) {
  // But for the last column, whose width nobody asks for, each character of these takes one column.
  const width = Math.max(head.length, ...cells.map((cell) => cell.length));
  return { head, cells: cells.map(paint), width };
}

/**
 * The list of sessions for a terminal; the table library is loaded only here. `branches` are drawn before the ids, as
 * `render/tree` makes them.
 */
export async function renderList(
  rows: readonly SessionSummary[],
  style: Style,
  branches: readonly string[] = [],
): Promise<string> {
  const { renderTable } = await import('./table.ts');
  const age = (row: SessionSummary): string => {
    const updated = parseIso(row.updated_at);
    return updated === null ? '' : shortSpan(style.nowMs - updated);
  };
  const tokens = (row: SessionSummary): string =>
    row.token_usage === null ? '' : shortCount(row.token_usage.total_tokens);
  const names = rows.map(nameOf);
  const froms = rows.map(fromOf);
  const projects = [...new Set(rows.map(({ project }) => project))];
  const columns = [
    column(
      'ID',
      rows.map((row, i) => `${branches[i] ?? ''}${row.id}`),
    ),
    ...(names.some((name) => name !== '') ? [{ ...column('NAME', names), dispensable: 2 }] : []),
    column(
      'STATUS',
      rows.map((row) => `${row.status}${row.needs_attention ? ' •' : ''}`),
      (_, i) => {
        const row = rows[i];
        if (row === undefined) return '';
        return `${paintStatus(row.status, style)}${row.needs_attention ? ' •' : ''}`;
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
    ...(froms.some((from) => from !== '' && from !== 'you')
      ? [{ ...column('FROM', froms), dispensable: 5 }]
      : []),
    ...(projects.length > 1
      ? [
          {
            head: 'PROJECT',
            cells: rows.map(({ project }) => safeLine(project)),
            width: Math.max(...projects.map((project) => widthOf(safeLine(project)))),
            dispensable: 0,
          },
        ]
      : []),
    column(
      'TASK',
      rows.map((row) => lineOf(taskOf(row), style.width)),
    ),
  ];
  return renderTable(columns, style);
}
