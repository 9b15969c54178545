import { type Compared, checkWord } from '../core/compared.ts';
import type { SessionStatus } from '../core/status.ts';
import { withoutMarks } from './markdown/without-marks.ts';
import { paintStatus, type Style } from './style.ts';
import { type Column, renderTable } from './table.ts';
import { safeLine } from './text/safe-text.ts';
import { longSpan, plusMinus, shortCount } from './text/units.ts';
import { lineOf } from './text/width.ts';

/** A session on a line for programs: an empty word is not known, or was not asked for. */
export function compareLine(row: Compared): string {
  const { id, name, status, diff_stat: diff, token_usage: usage, duration_ms: ms, answer_line } = row;
  const words = [diff?.files, diff?.added, diff?.removed, checkWord(row), usage?.total_tokens, ms];
  return [id, name ?? '', status, ...words.map((word) => word ?? ''), safeLine(answer_line ?? '')].join('\t');
}

/** Sessions side by side for a terminal. */
export function renderCompared(rows: readonly Compared[], style: Style): string {
  const { paint, width } = style;
  const checks = rows.map(checkWord);
  const columns: readonly Column[] = [
    { head: 'SESSION', cells: rows.map(({ id, name }) => safeLine(name ?? id)), least: 10 },
    {
      head: 'STATUS',
      cells: rows.map(({ status }) => status),
      paint: (cell) => cell.replace(/^\w+/, (status) => paintStatus(status as SessionStatus, style)),
      dispensable: 2,
    },
    {
      head: 'CHECK',
      cells: checks,
      paint: (cell) => (cell.startsWith('passed') ? paint.green : paint.red)(cell),
      isShown: checks.some(Boolean),
    },
    {
      head: 'FILES',
      cells: rows.map(({ diff_stat: diff }) => (diff === null ? '' : String(diff.files))),
      align: 'right',
      dispensable: 3,
    },
    {
      head: 'DIFF',
      cells: rows.map(({ diff_stat: diff }) => (diff === null ? '' : plusMinus(diff))),
      align: 'right',
      dispensable: 1,
    },
    {
      head: 'TOKENS',
      cells: rows.map(({ token_usage: usage }) => (usage === null ? '' : shortCount(usage.total_tokens))),
      align: 'right',
      dispensable: 4,
    },
    {
      head: 'TIME',
      cells: rows.map(({ duration_ms: ms }) => (ms === null ? '' : longSpan(ms))),
      align: 'right',
      dispensable: 5,
    },
    { head: 'ANSWER', cells: rows.map(({ answer_line }) => lineOf(withoutMarks(answer_line ?? ''), width)) },
  ];
  return renderTable(columns, style);
}
