import type { ChangedFiles } from '../core/conversation/session-reader.ts';
import { pathFrom } from '../core/path.ts';
import { cutText, firstFew, type SessionSummary, type TokenUsage } from '../core/session.ts';
import { isActive } from '../core/status.ts';
import { parseIso, shortSpan } from '../core/time.ts';
import { errorLines } from './error-lines.ts';
import { note, withWholeCommands } from './steps.ts';
import { paintStatus, type Style } from './style.ts';
import { linkTo } from './text/link.ts';
import { safeLine } from './text/safe-text.ts';
import { counted, countedProcesses, localTime, longSpan, plusMinus, shortCount } from './text/units.ts';
import { lineOf } from './text/width.ts';
import { readable, type Span, textLines, wrapSpans } from './text/wrap.ts';
import { costText, tokensText } from './usage.ts';

/** What to show of a session at the top of its page. */
export interface CardOptions {
  /** With what is seldom of interest: the thread, paths and times. */
  readonly full: boolean;
  /** Absolute times in place of ages. */
  readonly time: boolean;
}

/** A session, and what its own files do not tell at once. */
interface Carded {
  readonly summary: SessionSummary;
  /** How many turns its conversation has. */
  readonly length: number;
  /** The host where its current turn ran; null for this one. */
  readonly host: string | null;
  /** The files that it changed, or null where they are told at the end of the page. */
  readonly changed: ChangedFiles | null;
  /** Whether the turn that speaks for it is on the page, and tells why it failed. */
  readonly showsCurrent: boolean;
  /** Whether the page is so long that its end is far from the card. */
  readonly isLong: boolean;
}

const LABEL = 10;
/** Columns before the value of a row. */
const BEFORE = LABEL + 3;
/** So much of a task is shown where lines have no end. */
const TASK = 100;

/** Lines behind the label of their row. */
function labelled(label: string, lines: readonly string[], { paint }: Style): string[] {
  const first = paint.dim(`  ${label.padEnd(LABEL)} `);
  return lines.map((line, i) => (i === 0 ? first : ' '.repeat(BEFORE)) + line);
}

function row(label: string, value: string | readonly Span[], style: Style): string[] {
  const spans = typeof value === 'string' ? [{ text: safeLine(value), paint: String }] : value;
  return labelled(label, wrapSpans(spans, style.width - BEFORE), style);
}

/** Spans with something between them. */
function joined(spans: readonly Span[], between: Span): Span[] {
  return spans.flatMap((span, i) => (i === 0 ? [span] : [between, span]));
}

/** `total · completed · 2 turns · 5.0s · 3m ago · 86.9k tokens · k3v9x2m7pq` */
function title(
  { summary, length }: Pick<Carded, 'summary' | 'length'>,
  style: Style,
  { time }: CardOptions,
): string[] {
  const { id, name, status, duration_ms: duration, turn_started_at: started, token_usage: usage } = summary;
  const { paint, nowMs, width } = style;
  const dim = (text: string): Span => ({ text, paint: paint.dim });
  const active = isActive(status);
  const at = parseIso(active ? started : summary.updated_at);
  const when = time && at !== null ? localTime(at) : null;
  const age = active || at === null ? null : `${shortSpan(nowMs - at)} ago`;
  const words = [
    length === 0 ? null : counted(length, 'turn'),
    duration === null ? null : longSpan(duration),
    when === null ? age : active ? `since ${when}` : when,
    usage && tokensText(usage),
    name === null ? null : id,
  ];
  const spans = [
    { text: safeLine(name ?? id), paint: paint.bold },
    { text: status, paint: () => paintStatus(status, style) },
    ...words.filter((word) => word !== null).map(dim),
  ];
  // What goes on behind its two columns cannot be taken for the line of a turn.
  return wrapSpans(joined(spans, dim(' · ')), width - 2).map((line, i) => (i === 0 ? line : `  ${line}`));
}

function tokensOf(usage: TokenUsage): string {
  const [input, cached, output] = [usage.input_tokens, usage.cached_input_tokens, usage.output_tokens];
  const counted = `${shortCount(input)} in (${shortCount(cached)} cached), ${shortCount(output)} out`;
  return usage.at_least ? `at least ${counted}` : counted;
}

const LONGEST_NAME = 40;

/** The name of a file in few columns: a path that is too long by its last component. */
function shortName(path: string, directory: string | null): string {
  const name = safeLine(pathFrom(directory, path));
  return name.length > LONGEST_NAME ? name.replace(/^.*\/(?=.)/, '…/') : name;
}

/** The row of the files that a session changed; none where it changed none. */
export function changedRow({ count, first }: ChangedFiles, directory: string | null, style: Style): string[] {
  if (count === 0) return [];
  const names = first.map((path) => ({
    text: shortName(path, directory),
    paint: linkTo(path, directory, style),
  }));
  const more = count > first.length ? [{ text: `${count - first.length} more`, paint: String }] : [];
  const comma = { text: ', ', paint: String };
  return row(
    'changed',
    [{ text: `${counted(count, 'file')}: `, paint: String }, ...joined([...names, ...more], comma)],
    style,
  );
}

/** The lines of an answer that are on the card, and the characters of it that are looked at for them. */
const ANSWER_LINES = 3;
const ANSWER_START = 2000;

/** The row with the first lines of an answer, which itself stands far below. */
function answerRow(id: string, answer: string, style: Style): string[] {
  const start = cutText(answer, ANSWER_START);
  const width = readable(style.width) - BEFORE;
  const shown =
    style.markdown === null ? textLines(start, width) : style.markdown(start, { ...style, width });
  const lines = Array.from(shown).filter((line) => line.trim() !== '');
  const isCut = lines.length > ANSWER_LINES || answer.length > ANSWER_START;
  const more = isCut ? withWholeCommands(`… all of it: zwarm answer ${id}`, width).split('\n') : [];
  return labelled(
    'answer',
    [...lines.slice(0, ANSWER_LINES), ...more.map((line) => style.paint.dim(line))],
    style,
  );
}

/** The agent with its model, and what it may touch where that is not the usual. */
function agentOf({ agent, model, model_used, sandbox, unconfined }: SessionSummary, full: boolean): string {
  const who = [agent, model_used ?? model].filter((word) => word !== null).join(' ');
  const shown = unconfined || full || sandbox !== 'workspace-write' ? sandbox : null;
  return [who, shown, unconfined ? 'unconfined' : null].filter(Boolean).join(' · ');
}

/** The top of a page, as lines: a title, then a row for each thing worth knowing. */
export function renderCard(
  { summary, length, host, changed, showsCurrent, isLong }: Carded,
  style: Style,
  options: CardOptions,
): string[] {
  const { full } = options;
  const {
    token_usage: usage,
    forked_from: fork,
    cost_usd: cost,
    working_dir: directory,
    diff_stat: diff,
  } = summary;
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['task', summary.task && lineOf(summary.task, Math.min(readable(style.width) - BEFORE, TASK))],
    ['tags', summary.tags.join(', ')],
    ['agent', agentOf(summary, full)],
    ['host', host],
    // The usual one is the project.
    ['directory', full || directory !== summary.project ? directory : null],
    ['branch', summary.worktree?.branch],
    ['work in', summary.work_in],
    [
      'shared',
      summary.shared_with.length === 0 ? null : `${summary.shared_with.join(', ')} writes there, too`,
    ],
    ['queued', summary.queued === 0 ? null : String(summary.queued)],
    ['cost', cost === null ? null : costText(summary)],
    [
      'diff',
      diff === null || diff.files === 0 ? null : `${plusMinus(diff)} in ${counted(diff.files, 'file')}`,
    ],
    ['parent', summary.parent],
    ['forked', fork && `${fork.id}, turn ${fork.turn}`],
  ];
  const rest: typeof rows = [
    ['tokens', usage && tokensOf(usage)],
    ['thread', summary.thread_id],
    ['created', summary.created_at],
    ['ended', summary.ended_at],
  ];
  const shown = (some: typeof rows): string[] =>
    some.flatMap(([label, value]) => (value ? row(label, value, style) : []));
  const { error, pending, log_file: log, processes_left: left, id, status, last_message: answer } = summary;
  const running = left ? [`${countedProcesses(left)} left`, `hint: zwarm kill ${id}`] : [];
  const newer =
    summary.unknown_words.length === 0
      ? []
      : [
          `written by a newer zwarm: ${firstFew(summary.unknown_words)}`,
          'hint: to go on with it, update zwarm',
        ];
  const failure = error === null || showsCurrent ? [] : errorLines(error);
  return [
    ...title({ summary, length }, style, options),
    ...failure.flatMap((line) => [...note('  ', line, style, style.paint.red)]),
    ...(pending === null ? [] : note('  ', pending.detail, style)),
    ...newer.flatMap((line) => [...note('  ', line, style)]),
    ...running.flatMap((line) => [...note('  ', line, style)]),
    ...shown(rows),
    ...(changed === null ? [] : changedRow(changed, directory, style)),
    ...(isLong && showsCurrent && status === 'completed' && answer !== null
      ? answerRow(id, answer, style)
      : []),
    ...(full ? shown(rest) : []),
    ...(full && log !== null
      ? row('log', [{ text: safeLine(log), paint: linkTo(log, null, style) }], style)
      : []),
  ];
}
