import type { SessionRecord } from '../core/session.ts';
import { cutText } from '../core/session.ts';
import { shellWord } from '../core/shell-word.ts';
import { safeLine } from './safe-text.ts';
import type { Style } from './style.ts';
import { cutToWidth, widthOf } from './width.ts';
import { wrapText } from './wrap.ts';

/** A key with its value, and who says so. */
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

const LABEL = 13;
const TASK_LIMIT = 2000;

function forkOf({ forked_from: origin }: SessionRecord): string {
  if (origin === null) return 'no';
  const bytes = origin.history_bytes === null ? '' : `, ${origin.history_bytes} bytes of history`;
  return `${origin.id}, turn ${origin.turn}${bytes}`;
}

/**
 * What a record would have run, for somebody to look at before it is trusted: every field that has a say in what zwarm
 * does, the task cut where it is long. Not shown are what it is called, when it was made and where git stood.
 */
export function renderRecord(id: string, record: SessionRecord, columns: number): string {
  const fields: readonly (readonly [label: string, value: string])[] = [
    ['agent', record.agent],
    ['sandbox', record.sandbox],
    ['directory', record.working_dir],
    ['model', record.model ?? "the agent's own choice"],
    ['arguments', record.agent_args.map(shellWord).join(' ')],
    ['orchestrates', record.orchestrates ? 'yes: its agent runs others' : 'no'],
    ['git root', record.git?.root ?? 'none'],
    ['source', record.source],
    ['parent', record.parent ?? 'none'],
    ['forked from', forkOf(record)],
    ['task', cutText(record.task, TASK_LIMIT)],
  ];
  const lines = fields.flatMap(([label, value]) =>
    // No value may look like the next field.
    wrapText(safeLine(value), Math.max(LABEL, columns - LABEL - 2)).map(
      (line, i) => `  ${(i === 0 ? label : '').padEnd(LABEL)}${line}`,
    ),
  );
  return `${[id, ...lines].join('\n')}\n`;
}
