import type { Pending } from '../core/rules/queue.ts';
import { parseIso, shortSpan } from '../core/time.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';
import { safeLine } from './text/safe-text.ts';
import { lineOf } from './text/width.ts';

/** A message that waits. */
interface Queued {
  readonly id: string;
  readonly name: string | null;
  readonly turn: number;
  readonly prompt: string;
  readonly queued_at: string;
  readonly pending: Pending;
}

/** What waits, in its order, as a table for a terminal. */
export function renderQueue(rows: readonly Queued[], style: Style): string {
  const since = ({ queued_at }: Queued): string =>
    shortSpan(style.nowMs - (parseIso(queued_at) ?? style.nowMs));
  return renderTable(
    [
      { head: 'ID', cells: rows.map(({ id }) => id) },
      {
        head: 'NAME',
        cells: rows.map(({ name }) => safeLine(name ?? '')),
        dispensable: 2,
        least: 8,
        isShown: rows.some(({ name }) => name !== null),
      },
      { head: 'TURN', cells: rows.map(({ turn }) => String(turn)), align: 'right', dispensable: 1 },
      { head: 'SINCE', cells: rows.map(since), align: 'right', dispensable: 3 },
      { head: 'WHY', cells: rows.map(({ pending }) => safeLine(pending.detail)), least: 16 },
      { head: 'MESSAGE', cells: rows.map(({ prompt }) => lineOf(prompt, style.width)) },
    ],
    style,
  );
}

/** The same of one for a pipe: id, turn, reason, time and message, between tabs. */
export function renderQueueRow({ id, turn, pending, queued_at, prompt }: Queued): string {
  return [id, turn, pending.reason, queued_at, safeLine(prompt)].join('\t');
}
