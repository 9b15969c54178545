import { shortBytes } from '../core/bytes.ts';
import { parseIso, shortSpan } from '../core/time.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';
import { safeLine } from './text/safe-text.ts';
import { lineOf } from './text/width.ts';

/** A session that a verb is about to change: what is known of it. */
export interface Affected {
  readonly id: string;
  readonly name: string | null;
  readonly task: string | null;
  readonly updated_at: string | null;
  /** What its files take. */
  readonly bytes?: number;
}

/** Names are cut to no less than this. */
const LEAST_NAME = 16;

/** A table of such sessions for a terminal: of more than `most` the first ones, and how many more there are. */
export function renderAffected(
  rows: readonly Affected[],
  style: Style,
  most = Number.POSITIVE_INFINITY,
): string {
  const shown = rows.slice(0, most);
  const ago = ({ updated_at }: Affected): string => {
    const updated = parseIso(updated_at);
    return updated === null ? '' : shortSpan(style.nowMs - updated);
  };
  const names = shown.map(({ name }) => safeLine(name ?? ''));
  const sizes = shown.map(({ bytes }) => (bytes === undefined ? '' : shortBytes(bytes)));
  const table = renderTable(
    [
      { head: 'ID', cells: shown.map(({ id }) => id) },
      { head: 'NAME', cells: names, least: LEAST_NAME, dispensable: 1, isShown: names.some(Boolean) },
      { head: 'AGO', cells: shown.map(ago), align: 'right' },
      { head: 'SIZE', cells: sizes, align: 'right', dispensable: 2, isShown: sizes.some(Boolean) },
      { head: 'TASK', cells: shown.map(({ task }) => lineOf(task ?? '', style.width)) },
    ],
    style,
  );
  return rows.length > most ? `${table}… and ${rows.length - most} more\n` : table;
}

/** The same of one session for a pipe: id, time of the last change, bytes, name and task, between tabs. */
export function renderAffectedRow({ id, name, task, updated_at, bytes }: Affected): string {
  return [id, updated_at ?? '', bytes ?? '', safeLine(name ?? ''), safeLine(task ?? '')].join('\t');
}
