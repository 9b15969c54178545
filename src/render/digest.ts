import type { DigestSection, Slept } from '../core/rules/digest.ts';
import type { SessionSummary } from '../core/session.ts';
import { parseIso } from '../core/time.ts';
import type { UsageRow } from '../core/usage-groups.ts';
import { failureWords } from './failure-words.ts';
import { projectNames } from './project-names.ts';
import type { Style } from './style.ts';
import { renderTable } from './table.ts';
import { safeLine } from './text/safe-text.ts';
import { counted, localTime, shortCount } from './text/units.ts';
import { cutToWidth, lineOf } from './text/width.ts';
import { costText, tokensText } from './usage.ts';

/** What happened since a time. */
interface Digest extends Readonly<Record<DigestSection, readonly SessionSummary[]>> {
  readonly since: string;
  readonly slept: readonly Slept[];
  readonly total: UsageRow;
}

/** How to show it. */
export interface DigestView {
  /** With the project of each session. */
  readonly everywhere: boolean;
  /** The user's home directory, or null. */
  readonly home: string | null;
}

/** The sections in their order, and what the last column of each tells. */
const SECTIONS: readonly (readonly [section: DigestSection | 'slept', title: string, head: string])[] = [
  ['needs_you', 'Needs you', 'WHY'],
  ['done', 'Done', 'ANSWER'],
  ['failed', 'Failed', 'WHY'],
  ['stopped', 'Stopped', 'WHY'],
  ['slept', 'Slept', ''],
  ['running', 'Still running', 'NOW'],
  ['waiting', 'Waiting', 'WHY'],
];

/** What is worth a line of its own: the answer, why it failed or waits, what it is doing. */
function wordsOf(row: SessionSummary): string {
  const { status, last_message: answer, current_step: step, pending } = row;
  if (status === 'completed') return answer?.trimStart().split('\n', 1)[0] ?? 'no answer';
  return step ?? pending?.detail ?? failureWords(row) ?? status;
}

const LONGEST = 200;

/** A section of the page that is not empty. */
interface Filled {
  readonly title: string;
  readonly head: string;
  readonly rows: readonly SessionSummary[];
  readonly slept: readonly Slept[];
}

const filled = (digest: Digest): readonly Filled[] =>
  SECTIONS.map(([section, title, head]) =>
    section === 'slept'
      ? { title, head, rows: [], slept: digest.slept }
      : { title, head, rows: digest[section], slept: [] },
  ).filter(({ rows, slept }) => rows.length + slept.length > 0);

const nothing = (when: string): string => `Nothing has happened since ${when}, and nothing runs or waits.\n`;

/** What an account kept waiting, without the words of its agent. */
function sleptWords({ until, failed, waiting }: Slept, timeOf: (iso: string) => string): readonly string[] {
  return [
    until === null ? 'end not known' : `until ${timeOf(until)}`,
    ...(failed.length === 0 ? [] : [`${failed.length} failed`]),
    ...(waiting.length === 0 ? [] : [`${waiting.length} waiting`]),
  ];
}

/** `12 sessions · 123,456 tokens · ≥ $1.25 · since 2026-01-31 09:30` */
function sums(sections: readonly Filled[], { token_usage: usage, ...cost }: UsageRow, when: string): string {
  const sessions = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  return [
    counted(sessions, 'session'),
    ...(usage === null ? [] : [tokensText(usage)]),
    ...(cost.cost_usd === null ? [] : [costText(cost)]),
    `since ${when}`,
  ].join(' · ');
}

const localOf = (iso: string): string => localTime(parseIso(iso) ?? 0);

/** A digest as a page for a terminal. */
export function renderDigest(digest: Digest, view: DigestView, style: Style): string {
  const sections = filled(digest);
  if (sections.length === 0) return nothing(localOf(digest.since));
  const all = sections.flatMap(({ rows }) => rows.map(({ project }) => project));
  const projects = projectNames([...new Set(all)], view.home);
  const page = sections.map(({ title, head, rows, slept }) => {
    const names = rows.map(({ name }) => safeLine(name ?? ''));
    const tokens = rows.map(({ token_usage: usage }) =>
      usage === null ? '' : shortCount(usage.total_tokens),
    );
    const table = renderTable(
      [
        { head: 'ID', cells: rows.map(({ id }) => id) },
        { head: 'NAME', cells: names, isShown: names.some(Boolean), least: 12, dispensable: 2 },
        {
          head: 'PROJECT',
          cells: rows.map(({ project }) => safeLine(projects.get(project) ?? project)),
          isShown: view.everywhere,
          least: 12,
          dispensable: 0,
        },
        { head: 'TASK', cells: rows.map((row) => lineOf(row.title ?? '', 48)), least: 16, dispensable: 1 },
        { head: 'TOKENS', cells: tokens, align: 'right', isShown: tokens.some(Boolean), dispensable: 3 },
        { head, cells: rows.map((row) => lineOf(wordsOf(row), LONGEST)) },
      ],
      style,
    );
    const lines = slept.map((one) =>
      lineOf([one.agent, ...sleptWords(one, localOf), one.message].join(' · '), style.width),
    );
    const count = rows.length === 0 ? '' : ` ${style.paint.dim(String(rows.length))}`;
    return `${style.paint.bold(title)}${count}\n${rows.length === 0 ? `${lines.join('\n')}\n` : table}`;
  });
  const about = cutToWidth(sums(sections, digest.total, localOf(digest.since)), style.width);
  const help = digest.needs_you.length === 0 ? '' : cutToWidth('what to do: zwarm show ID', style.width);
  return `${page.join('\n')}\n${[about, help]
    .filter(Boolean)
    .map((line) => `${style.paint.dim(line)}\n`)
    .join('')}`;
}

/** A text as Markdown that shows it as it is and makes nothing of it: no link, no mention, no picture. */
function codeSpan(text: string): string {
  const line = lineOf(text, LONGEST);
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? fence + line + fence : `${fence} ${line} ${fence}`;
}

/** A time as a reader of any place understands it. */
const utcOf = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

/** A digest as Markdown, for a mail or a page. */
export function digestMarkdown(digest: Digest, view: DigestView): string {
  const sections = filled(digest);
  if (sections.length === 0) return nothing(utcOf(digest.since));
  const spans = (texts: readonly string[]) => texts.filter(Boolean).map(codeSpan);
  const pages = sections.map(({ title, rows, slept }) => {
    const items = rows.map((row) => {
      const [id = '', ...named] = spans([row.id, row.name ?? '', view.everywhere ? row.project : '']);
      return `- ${[id, ...named].join(' ')}: ${spans([row.title ?? '', wordsOf(row)]).join(' – ')}\n`;
    });
    const agents = slept.map((one) => {
      const [agent = '', ...message] = spans([one.agent, one.message]);
      return `- ${agent}: ${[...sleptWords(one, utcOf), ...message].join(', ')}\n`;
    });
    return `## ${title}\n\n${[...items, ...agents].join('')}`;
  });
  return `${pages.join('\n')}\n${sums(sections, digest.total, utcOf(digest.since))}\n`;
}
