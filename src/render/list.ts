import type { SessionStatus, SessionSummary } from '../core/session.ts';
import { parseIso } from '../core/time.ts';
import { taskOf } from './row.ts';
import { safeLine } from './safe-text.ts';
import { paintStatus, type Style } from './style.ts';
import type { Column } from './table.ts';
import { shortCount, shortSpan } from './units.ts';
import { lineOf } from './width.ts';

const LONGEST_NAME = 41;
const LONGEST_FROM = 16;

/** A word in a column. zwarm gives only ASCII ones; other characters may not fit. */
function wordOf(text: string, longest: number): string {
  return text.slice(0, longest).replace(/[^\x20-\x7e]/gu, '?');
}

/** Who started a session, in a column: orchestrators by the beginning of their id. */
function fromOf({ source }: SessionSummary): string {
  if (source === 'user') return 'you';
  return wordOf((source ?? '').replace(/^orchestrator:(.{4}).*$/s, 'orch:$1'), LONGEST_FROM);
}

/** The branches before a row of a tree, three columns for each generation; `lastOf` is that of `core/rules/family`. */
export function branchOf(lastOf: readonly boolean[]): string {
  return lastOf
    .map((last, i) => (i < lastOf.length - 1 ? (last ? '   ' : '│  ') : last ? '└─ ' : '├─ '))
    .join('');
}

/** The list of sessions for a terminal; the table library is loaded only here. `branches` are drawn before the ids. */
export async function renderList(
  rows: readonly SessionSummary[],
  style: Style,
  branches: readonly string[] = [],
): Promise<string> {
  const { renderTable } = await import('./table.ts');
  const ago = ({ updated_at }: SessionSummary): string => {
    const updated = parseIso(updated_at);
    return updated === null ? '' : shortSpan(style.nowMs - updated);
  };
  const tokens = ({ token_usage: usage }: SessionSummary): string =>
    usage === null ? '' : shortCount(usage.total_tokens);
  const froms = rows.map(fromOf);
  const names = rows.map(({ name }) => wordOf(name ?? '', LONGEST_NAME));
  const projects = rows.map(({ project }) => safeLine(project));
  const columns: readonly Column[] = [
    { head: 'ID', cells: rows.map(({ id }, i) => `${branches[i] ?? ''}${id}`) },
    { head: 'NAME', cells: names, dispensable: 2, isShown: names.some(Boolean) },
    {
      head: 'STATUS',
      cells: rows.map((row) => `${row.status}${row.needs_attention ? ' •' : ''}`),
      paint: (cell) => cell.replace(/^\w+/, (status) => paintStatus(status as SessionStatus, style)),
    },
    { head: 'TURN', cells: rows.map(({ turn }) => String(turn ?? '')), dispensable: 3 },
    { head: 'AGO', cells: rows.map(ago), dispensable: 1 },
    { head: 'TOKENS', cells: rows.map(tokens), dispensable: 4 },
    {
      head: 'FROM',
      cells: froms,
      dispensable: 5,
      isShown: froms.some((from) => !['', 'you'].includes(from)),
    },
    { head: 'PROJECT', cells: projects, dispensable: 0, isShown: new Set(projects).size > 1 },
    { head: 'TASK', cells: rows.map((row) => lineOf(taskOf(row), style.width)) },
  ];
  return renderTable(columns, style);
}
