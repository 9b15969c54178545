import type { ThreadInfo } from '../core/conversation/session-file.ts';
import { shortSpan } from '../core/time.ts';
import type { Column } from './table.ts';
import { safeLine } from './text/safe-text.ts';

/** What a list tells of a thread, in the order of its columns; neutralised. */
export function threadRow(
  { thread_id: id, agent, updated_at, title }: ThreadInfo,
  nowMs: number,
): readonly string[] {
  return [id, agent, shortSpan(nowMs - Date.parse(updated_at)), safeLine(title)];
}

const HEADS = ['THREAD', 'AGENT', 'AGE', 'TITLE'];

/** The columns of a list of threads. */
export function threadColumns(threads: readonly ThreadInfo[], nowMs: number): readonly Column[] {
  const rows = threads.map((thread) => threadRow(thread, nowMs));
  return HEADS.map((head, i) => ({ head, cells: rows.map((row) => row[i] ?? '') }));
}
