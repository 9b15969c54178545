import type { SessionSummary } from '../core/session.ts';
import { safeLine } from './safe-text.ts';

/*
 * Apart from `list.ts`: what measures the columns of a terminal takes longer to load than a thousand of these rows.
 */

/** The last column of a row: the task, or what is wrong with a session whose task cannot be read. */
export function taskOf(row: SessionSummary): string {
  return row.task ?? row.error?.message ?? '';
}

/** A row for pipes: id, status, turn, agent, time of the last change, task, and the project if asked for, separated by tabs. */
export function renderRow(row: SessionSummary, withProject = false): string {
  const { id, status, turn, agent, updated_at } = row;
  // Joined, not added up: that would keep every part in memory.
  return [
    id,
    status,
    turn ?? '',
    safeLine(agent ?? ''),
    safeLine(updated_at ?? ''),
    `${safeLine(taskOf(row))}${withProject ? `\t${safeLine(row.project)}` : ''}\n`,
  ].join('\t');
}
