import { familiesOf } from '../core/rules/family.ts';
import { messageOfRow, type SessionSummary } from '../core/session.ts';
import type { SessionStatus } from '../core/status.ts';
import { parseIso, shortSpan } from '../core/time.ts';
import { failureWords } from './failure-words.ts';
import { stepWithoutMarks, withoutMarks } from './markdown/without-marks.ts';
import { projectNames } from './project-names.ts';
import { paintStatus, type Style } from './style.ts';
import { type Column, fitColumns, renderTable } from './table.ts';
import { localTime, longSpan, plusMinus, shortCount } from './text/units.ts';
import { cutToWidth, lineOf, widthOf } from './text/width.ts';
import { costText } from './usage.ts';

/** Sessions to be shown, and what is left out. */
interface Listing {
  readonly rows: readonly SessionSummary[];
  readonly matching: number;
  readonly running: number;
}

/** How to show them. */
export interface ListView {
  /** What an agent started below the session of that agent. */
  readonly tree: boolean;
  /** With a column for the project. */
  readonly everywhere: boolean;
  /** Absolute times instead of ages. */
  readonly time: boolean;
  /** The user's home directory, or null. */
  readonly home: string | null;
  /** With a column for what they cost. */
  readonly cost?: boolean;
  /** The lines of a screen on which it must fit. */
  readonly height?: number;
}

const LONGEST_NAME = 41;
const LONGEST_FROM = 16;
const LONGEST_NOW = 48;
const LONGEST_TAGS = 16;
/** What a name, an answer and a project keep where there is little room; and what a session is doing, also before its task. */
const [SHORTEST_NAME, SHORTEST_ANSWER, SHORTEST_PROJECT, SHORTEST_NOW] = [16, 14, 12, 24];
/** A whole id, the longest status with its mark, and what is between them. */
const ID_AND_STATUS = 10 + 2 + 11;

/** A word in a column. zwarm gives only ASCII ones; other characters may not fit. */
function wordOf(text: string, longest: number): string {
  return text.slice(0, longest).replace(/[^\x20-\x7e]/gu, '?');
}

/** A text in a column that others follow: terminals draw joined and coloured emoji in more columns than the table counts. */
function cellOf(text: string, longest: number): string {
  return lineOf(text, longest).replace(/[\u200d\p{Emoji_Modifier}]/gu, '');
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

/** The last activity of a session, of one that runs its beginning (ms since the epoch); or null. */
const momentOf = (row: SessionSummary): number | null =>
  (row.status === 'running' ? parseIso(row.turn_started_at) : null) ?? parseIso(row.active_at);

/** How long ago that was, or when. */
function timeOf(row: SessionSummary, { time }: ListView, { nowMs }: Style): string {
  const ms = momentOf(row);
  if (ms === null) return '';
  if (time) return localTime(ms);
  return row.status === 'running' && nowMs - ms >= 60_000 ? longSpan(nowMs - ms) : shortSpan(nowMs - ms);
}

/** The same in at most four columns. */
function ageOf(row: SessionSummary, { nowMs }: Style): string {
  const ms = momentOf(row);
  return ms === null ? '' : shortSpan(nowMs - ms);
}

/** What a running session is doing, why a failed one failed, and why one waits; null of any other. */
const doingOf = (row: SessionSummary): string | null =>
  stepWithoutMarks(row.current_step) ?? failureWords(row) ?? row.pending?.detail ?? null;

/** The same, and what one has answered that completed. */
const nowOf = (row: SessionSummary): string =>
  doingOf(row) ?? (row.status === 'completed' ? withoutMarks(row.answer_line ?? '') : '');

/** A message of fewer words and characters says nothing by itself. */
const [FEW_WORDS, FEW_CHARACTERS] = [4, 24];

/** The newest message of a session, of a fork behind where that comes from; a short one behind what the session is about. */
function taskOf(row: SessionSummary): string {
  const message = messageOfRow(row);
  const { title, forked_from: fork } = row;
  const isShort = message.length < FEW_CHARACTERS && message.split(/\s+/).length < FEW_WORDS;
  const about = isShort && title !== null && message !== '' && message !== title ? [title] : [];
  const words = [...about, message].join(' · ');
  return fork === null ? words : [`fork of ${fork.id.slice(0, 4)}`, words].filter(Boolean).join(': ');
}

/** Whether the agent of another session writes in the same directory. */
const isShared = ({ shared_with: others }: SessionSummary): boolean => others.length > 0;

/**
 * The columns for a width. Where what sessions are doing has no room of its own, it stands before their tasks, but for answers;
 * where ages have none either, how long those that run have been running stands before that. Ages are left without tasks.
 */
function columnsFor(
  { rows }: Listing,
  branches: readonly string[],
  view: ListView,
  style: Style,
): readonly Column[] {
  const { width } = style;
  const froms = rows.map(fromOf);
  const names = rows.map(({ name }) => wordOf(name ?? '', LONGEST_NAME));
  const doings = rows.map((row) => lineOf(doingOf(row) ?? '', LONGEST_NOW));
  const nows = rows.map((row) => cellOf(nowOf(row), LONGEST_NOW));
  const tags = rows.map((row) => lineOf(row.tags.join(' '), LONGEST_TAGS));
  const diffs = rows.map(({ diff_stat: stat }) => (stat === null || stat.files === 0 ? '' : plusMinus(stat)));
  const inHome = projectNames(
    rows.map(({ project }) => project),
    view.home,
  );
  // Of a deep tree the nearest generations, where there is no room for all.
  const deepest = Math.max(0, width - ID_AND_STATUS);
  const branch = (i: number): string => (deepest === 0 ? '' : (branches[i] ?? '').slice(-deepest));
  const tokens = ({ token_usage: usage }: SessionSummary): string =>
    usage === null ? '' : shortCount(usage.total_tokens);
  const id: Column = { head: 'ID', cells: rows.map(({ id }, i) => branch(i) + id) };
  const status: Column = {
    head: 'STATUS',
    cells: rows.map((row) => `${row.status}${row.needs_attention ? ' •' : ''}${isShared(row) ? ' !' : ''}`),
    paint: (cell) => cell.replace(/^\w+/, (word) => paintStatus(word as SessionStatus, style)),
  };
  const cost: Column = {
    head: 'COST',
    cells: rows.map(costText),
    align: 'right',
    isShown: view.cost ?? false,
  };
  const time = view.time ? 'TIME' : 'AGO';
  const always: readonly Column[] = [
    id,
    { head: 'NAME', cells: names, dispensable: 2, isShown: names.some(Boolean), least: SHORTEST_NAME },
    status,
    { head: time, cells: rows.map((row) => timeOf(row, view, style)), align: 'right', dispensable: 1 },
  ];
  const others: readonly Column[] = [
    {
      head: 'NOW',
      cells: nows,
      dispensable: 3,
      isShown: nows.some(Boolean),
      least: Math.min(SHORTEST_NOW, Math.max(SHORTEST_ANSWER, ...doings.map(widthOf))),
    },
    { head: 'TURN', cells: rows.map(({ turn }) => String(turn ?? '')), align: 'right', dispensable: 4 },
    { head: 'TOKENS', cells: rows.map(tokens), align: 'right', dispensable: 5 },
    { head: 'DIFF', cells: diffs, align: 'right', dispensable: 7, isShown: diffs.some(Boolean) },
    cost,
    { head: 'TAGS', cells: tags, dispensable: 8, isShown: tags.some(Boolean) },
    {
      head: 'FROM',
      cells: froms,
      dispensable: 6,
      isShown: froms.some((from) => !['', 'you'].includes(from)),
    },
  ];
  const last = (wordsOf: (row: SessionSummary) => readonly string[]): readonly Column[] => [
    {
      head: 'PROJECT',
      cells: rows.map(({ project }) => cellOf(inHome.get(project) ?? project, width)),
      isShown: view.everywhere,
      least: SHORTEST_PROJECT,
      dispensable: 0,
    },
    {
      head: 'TASK',
      cells: rows.map((row) => lineOf(wordsOf(row).filter(Boolean).join(' · '), width)),
    },
  ];
  const columns = [...always, ...others, ...last((row) => [taskOf(row)])];
  const hasAll = (wanted: readonly Column[], ...heads: readonly string[]): boolean => {
    const fitted = fitColumns(wanted, width);
    return heads.every((head) => fitted.some((column) => column.head === head));
  };
  if (hasAll(columns, time, ...(nows.some(Boolean) ? ['NOW'] : []))) return columns;
  const doing = (row: SessionSummary): string => lineOf(doingOf(row) ?? '', SHORTEST_NOW);
  const narrow = [...always, cost, ...last((row) => [doing(row), taskOf(row)])];
  if (hasAll(narrow, time)) return narrow;
  const length = (row: SessionSummary): string => (row.status === 'running' ? ageOf(row, style) : '');
  const narrower = [id, status, cost, ...last((row) => [length(row), doing(row), taskOf(row)])];
  if (hasAll(narrower, 'TASK')) return narrower;
  return [id, status, { head: 'AGO', cells: rows.map((row) => ageOf(row, style)) }];
}

/** What is below the table: what is left out of it, and what its mark means. */
function footer({ rows, matching, running }: Listing, width: number): readonly string[] {
  const some = running === 0 ? '' : `, ${running} running`;
  const leftOut = `${rows.length} of ${matching}${some} · --all shows all`;
  const mark = '• ended since you last looked';
  return [
    ...(rows.length === matching ? [] : leftOut.length > width ? leftOut.split(' · ') : [leftOut]),
    ...(rows.some(({ needs_attention }) => needs_attention) ? [mark] : []),
    ...(rows.some(isShared) ? ['! another agent writes in the same directory'] : []),
  ];
}

/** What is below a table that ends where the screen does: for how many rows there is no room. */
function footerOfHidden(hidden: readonly SessionSummary[]): string {
  const counted = (['running', 'damaged'] as const).flatMap((status) => {
    const count = hidden.filter((row) => row.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return [`… ${hidden.length} more below`, ...counted].join(', ');
}

/** Sessions for a terminal: a table that fits it, and what there is to say about that. */
export function renderList(listing: Listing, view: ListView, style: Style): string {
  const { height = Number.POSITIVE_INFINITY } = view;
  const families = view.tree ? familiesOf(listing.rows) : listing.rows.map((row) => ({ row, lastOf: [] }));
  const about = footer(listing, style.width);
  const fits = 1 + families.length + about.length <= height;
  // The header and the footer take a line each.
  const shown = fits ? families : families.slice(0, Math.max(1, height - 2));
  const hidden = families.slice(shown.length).map(({ row }) => row);
  const rows = shown.map(({ row }) => row);
  const branches = shown.map(({ lastOf }) => branchOf(lastOf));
  const table = renderTable(columnsFor({ ...listing, rows }, branches, view, style), style);
  const below = (hidden.length === 0 ? about : [footerOfHidden(hidden)]).map((line) =>
    style.paint.dim(cutToWidth(line, style.width)),
  );
  const lines = table.split('\n').slice(0, -1).concat(below);
  return lines
    .slice(0, height)
    .map((line) => `${line}\n`)
    .join('');
}
