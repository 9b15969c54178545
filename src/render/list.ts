import type { SessionSummary } from '../core/session.ts';
import { parseIso } from '../core/time.ts';
import { taskOf } from './row.ts';
import { safeLine } from './safe-text.ts';
import { paintStatus, type Style, shortCount, shortSpan } from './style.ts';
import { lineOf, widthOf } from './width.ts';

const LONGEST_NAME = 41;

/** The name of a session in a column. zwarm gives only ASCII names; other characters may not fit. */
function nameOf(row: SessionSummary): string {
  return (row.name ?? '').slice(0, LONGEST_NAME).replace(/[^\x20-\x7e]/gu, '?');
}

const LONGEST_FROM = 16;

/** Who started a session, in a column: orchestrators by the beginning of their id. */
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
  // Each character of these takes one column, except in the last one, whose width is not used.
  const width = Math.max(head.length, ...cells.map((cell) => cell.length));
  return { head, cells: cells.map(paint), width };
}

/** The branches before a row of a tree, three columns for each generation; `lastOf` is that of `core/rules/family`. */
export function branchOf(lastOf: readonly boolean[]): string {
  return lastOf
    .map((last, i) => (i < lastOf.length - 1 ? (last ? '   ' : '│  ') : last ? '└─ ' : '├─ '))
    .join('');
}

/**
 * The list of sessions for a terminal; the table library is loaded only here. `branches` are drawn before the ids: see
 * `branchOf`.
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
