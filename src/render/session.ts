import { MOST_WARNINGS } from '../core/conversation/fold.ts';
import type { SessionReader, TurnReader } from '../core/conversation/session-reader.ts';
import { changedFiles } from '../core/conversation/steps.ts';
import { pathFrom } from '../core/path.ts';
import { cutFailure, type SessionSummary, type TokenUsage } from '../core/session.ts';
import { errorLines } from './error-lines.ts';
import { safeLine } from './safe-text.ts';
import { hang, indent, note, renderStep, type StepOptions } from './steps.ts';
import { paintStatus, type Style } from './style.ts';
import { kindWords, rangesOf, turnRule } from './turn-rule.ts';
import { counted, longSpan, shortCount } from './units.ts';
import { lineOf } from './width.ts';
import { readable } from './wrap.ts';

const LABEL = 10;
/** Columns before the value of a row of the card. */
const BEFORE = LABEL + 3;
/** So much of a task is shown in the card where lines have no end. */
const TASK = 100;
const MOST_NAMES = 5;

function tokensOf(usage: TokenUsage): string {
  const [input, cached, output] = [usage.input_tokens, usage.cached_input_tokens, usage.output_tokens];
  return `${shortCount(input)} in (${shortCount(cached)} cached), ${shortCount(output)} out`;
}

function cardRow(label: string, value: string, { paint, width }: Style): string {
  const before = `  ${label.padEnd(LABEL)} `;
  return paint.dim(before) + hang(before, safeLine(value), width).slice(before.length);
}

function card(session: SessionSummary, host: string | null, style: Style): string {
  const { paint, width } = style;
  const { token_usage: usage, forked_from: fork, cost_usd: cost, duration_ms: duration } = session;
  const rows: readonly (readonly [string, string | number | null])[] = [
    ['task', session.task === null ? null : lineOf(session.task, Math.min(readable(width) - BEFORE, TASK))],
    ['name', session.name],
    ['tags', session.tags.join(', ')],
    ['agent', [session.agent, session.model].filter((word) => word !== null).join(', ')],
    ['sandbox', session.sandbox],
    ['host', host],
    ['directory', session.working_dir],
    ['work in', session.work_in],
    ['turns', session.turn],
    ['queued', session.queued || null],
    ['tokens', usage && tokensOf(usage)],
    ['cost', cost === null ? null : `$${cost.toFixed(2)}`],
    ['duration', duration === null ? null : longSpan(duration)],
    ['parent', session.parent],
    ['forked', fork && `${fork.id}, turn ${fork.turn}`],
    ['thread', session.thread_id],
    ['created', session.created_at],
    ['ended', session.ended_at],
    ['log', session.log_file],
  ];
  const failure = session.error === null ? [] : errorLines(session.error);
  const why = failure.map((line) => note('  ', line, style, paint.red));
  if (session.pending !== null) why.push(note('  ', session.pending.reason, style));
  return [
    `${paint.bold(session.id)}  ${paintStatus(session.status, style)}`,
    ...why,
    ...rows.flatMap(([label, value]) =>
      value === null || value === '' ? [] : [cardRow(label, String(value), style)],
    ),
  ].join('\n');
}

function rule(view: TurnReader['view'], style: Style): string {
  const { started_at: started, ended_at: ended, by, how } = view;
  const duration = started === null || ended === null ? -1 : Date.parse(ended) - Date.parse(started);
  const words = [
    `turn ${view.turn}`,
    ...kindWords(view),
    ...(by === null || by === 'user' ? [] : [`by ${safeLine(by)}`]),
    ...(how === null || how === 'native' || view.turn === 1 ? [] : [how]),
    // After a clock was set back, times mean nothing.
    ...(duration < 0 ? [] : [longSpan(duration)]),
  ];
  return turnRule(words.join(' · '), style);
}

/** A part of the page: those that take one line each stand below one another, all others between empty lines. */
interface Block {
  readonly text: string;
  readonly short: boolean;
}

const block = (text: string): Block => ({ text, short: false });

function* askedBlocks(view: TurnReader['view'], style: Style, full: boolean): Generator<Block> {
  const { paint, width } = style;
  yield block(rule(view, style));
  // The prompt of a compaction is not the user's.
  if (view.prompt !== null && (view.kind === 'prompt' || full))
    yield block(indent(view.prompt.trimEnd(), '> ', readable(width), paint.bold));
  if (view.replay_reason !== null) {
    const words = `(a new thread was told what was before: ${view.replay_reason})`;
    yield block(note('  ', words, style, paint.dim));
  }
}

/** A turn as it is read; the files that it changed are added to `changed`. */
function* turnBlocks(
  turn: TurnReader,
  style: Style,
  options: StepOptions,
  changed: Set<string>,
): Generator<Block> {
  const { view } = turn;
  const { paint } = style;
  yield* askedBlocks(view, style, options.full);
  if (view.kind === 'rewind') return;
  let answered = false;
  const warned = new Set<string>();
  for (const { step } of turn.steps()) {
    for (const path of changedFiles(step)) changed.add(path);
    if (step.type === 'message') answered = true;
    // The same limit as for the turn's warnings.
    if (step.type === 'warning' && warned.size <= MOST_WARNINGS) warned.add(cutFailure(step.message));
    if (step.type === 'reasoning' && !options.full) continue;
    // The failure itself stands below, with what to do.
    if (step.type === 'error' && step.message === view.error?.message) continue;
    const text = renderStep(step, style, options);
    if (text !== '') yield { text, short: step.type !== 'message' && !text.includes('\n') };
  }
  for (const warning of turn.whole().warnings) {
    if (!warned.has(warning)) yield block(note('! ', warning, style, paint.yellow));
  }
  if (view.status === 'completed' && !answered) yield block('  (it completed without an answer)');
  const error = view.error === null ? [] : errorLines(view.error);
  const failure = error.map((line, i) => note(i === 0 ? 'error: ' : '  ', line, style, paint.red));
  if (failure.length > 0) yield block(failure.join('\n'));
}

function* pageBlocks({ summary, turns }: SessionReader, style: Style, full: boolean): Generator<Block> {
  const { id, working_dir: directory } = summary;
  const current = turns.find(({ view }) => view.turn === summary.turn);
  yield block(card(summary, current?.view.host ?? null, style));
  const isHidden = ({ view }: TurnReader): boolean =>
    !full && turns.length > 1 && !view.in_conversation && view.kind !== 'rewind';
  const hidden = turns.filter(isHidden).map(({ view }) => view.turn);
  if (hidden.length > 0) {
    const which = `${hidden.length === 1 ? 'turn' : 'turns'} ${rangesOf(hidden)}`;
    const words = `(${which} wound back; see: zwarm show ${id} --full)`;
    yield block(note('  ', words, style, style.paint.dim));
  }
  const changed = new Set<string>();
  for (const turn of turns) {
    if (!isHidden(turn)) yield* turnBlocks(turn, style, { full, directory }, changed);
  }
  if (changed.size === 0) return;
  const names = [...changed].slice(0, MOST_NAMES).map((path) => pathFrom(directory, path));
  if (changed.size > MOST_NAMES) names.push(`${changed.size - MOST_NAMES} more`);
  yield block(cardRow('changed', `${counted(changed.size, 'file')}: ${names.join(', ')}`, style));
}

/** The page of one session in pieces, as its turns are read. `full` cuts nothing short. */
export function* renderSession(session: SessionReader, style: Style, full: boolean): Generator<string> {
  let before: Block | null = null;
  for (const part of pageBlocks(session, style, full)) {
    const gap: string = before === null ? '' : before.short && part.short ? '\n' : '\n\n';
    yield gap + part.text;
    before = part;
  }
  yield '\n';
}
