import { changedFiles, pathFrom } from '../core/conversation/changed-files.ts';
import type { Step } from '../core/conversation/steps.ts';
import type { SessionDetail, TokenUsage, TurnSteps, TurnView } from '../core/session.ts';
import { errorLines } from './error-lines.ts';
import { safeLine } from './safe-text.ts';
import { hang, indent, renderStep, type StepOptions } from './steps.ts';
import { longSpan, paintStatus, type Style, shortCount } from './style.ts';
import { kindWords, rangesOf, turnRule } from './turn-rule.ts';
import { lineOf } from './width.ts';
import { readable } from './wrap.ts';

const LABEL = 10;
/** Columns before the value of a row of the card. */
const BEFORE = LABEL + 3;
/** So much of a task is shown in the card where lines have no end. */
const TASK = 100;
const MOST_NAMES = 5;

function tokensOf(usage: TokenUsage): string {
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = usage;
  return `${shortCount(input)} in (${shortCount(cached)} cached), ${shortCount(output)} out`;
}

function changesOf(turns: readonly TurnSteps[], directory: string | null): string | null {
  const files = changedFiles(turns);
  if (files.length === 0) return null;
  const names = files.slice(0, MOST_NAMES).map((path) => pathFrom(directory, path));
  const more = files.length > MOST_NAMES ? [`${files.length - MOST_NAMES} more`] : [];
  return `${files.length} ${files.length === 1 ? 'file' : 'files'}: ${[...names, ...more].join(', ')}`;
}

function card(session: SessionDetail, steps: readonly TurnSteps[], style: Style): string {
  const { paint, width } = style;
  const room = Math.min(readable(width) - BEFORE, TASK);
  const rows: [string, string | null][] = [
    ['task', session.task === null ? null : lineOf(session.task, room)],
    ['name', session.name],
    ['tags', session.tags.join(', ')],
    ['agent', [session.agent, session.model].filter((word) => word !== null).join(', ')],
    ['sandbox', session.sandbox],
    ['directory', session.working_dir],
    ['work in', session.work_in],
    ['turns', session.turn === null ? null : String(session.turn)],
    ['queued', session.queued === 0 ? null : String(session.queued)],
    ['tokens', session.token_usage === null ? null : tokensOf(session.token_usage)],
    ['cost', session.cost_usd === null ? null : `$${session.cost_usd.toFixed(2)}`],
    ['duration', session.duration_ms === null ? null : longSpan(session.duration_ms)],
    ['changed', changesOf(steps, session.working_dir)],
    ['parent', session.parent],
    [
      'forked',
      session.forked_from === null ? null : `${session.forked_from.id}, turn ${session.forked_from.turn}`,
    ],
    ['thread', session.thread_id],
    ['created', session.created_at],
    ['ended', session.ended_at],
    ['log', session.log_file],
  ];
  const lines = rows.flatMap(([label, value]) => {
    if (value === null || value === '') return [];
    const before = `  ${label.padEnd(LABEL)} `;
    return [paint.dim(before) + hang(before, safeLine(value), width).slice(before.length)];
  });
  const error = session.error === null ? [] : errorLines(session.error);
  const why = [
    ...error.map((line) => hang('  ', line, readable(width), paint.red)),
    ...(session.pending === null ? [] : [hang('  ', safeLine(session.pending.reason), readable(width))]),
  ];
  return [`${paint.bold(session.id)}  ${paintStatus(session.status, style)}`, ...why, ...lines].join('\n');
}

function rule(view: TurnView, style: Style): string {
  const duration =
    view.started_at === null || view.ended_at === null
      ? null
      : Date.parse(view.ended_at) - Date.parse(view.started_at);
  const words = [
    `turn ${view.turn}`,
    ...kindWords(view),
    ...(view.by === null || view.by === 'user' ? [] : [`by ${safeLine(view.by)}`]),
    ...(view.how === null || view.how === 'native' || view.turn === 1 ? [] : [view.how]),
    // A clock that was set back tells nothing.
    ...(duration === null || duration < 0 ? [] : [longSpan(duration)]),
  ];
  return turnRule(words.join(' · '), style);
}

/** What an agent did: blocks between empty lines, but steps that take one line each below one another. */
function stepsText(steps: readonly Step[], style: Style, options: StepOptions): string[] {
  const blocks: { text: string; short: boolean }[] = [];
  for (const step of steps) {
    if (step.type === 'reasoning' && !options.full) continue;
    const text = renderStep(step, style, options);
    if (text === '') continue;
    const short = step.type !== 'message' && !text.includes('\n');
    const last = blocks.at(-1);
    if (short && last?.short) last.text += `\n${text}`;
    else blocks.push({ text, short });
  }
  return blocks.map(({ text }) => text);
}

function turnText(view: TurnView, steps: readonly Step[], style: Style, options: StepOptions): string {
  const { paint, width } = style;
  const columns = readable(width);
  if (view.kind === 'rewind') return rule(view, style);
  // The prompt of a compaction is our own.
  const isAsked = view.prompt !== null && (view.kind === 'prompt' || options.full);
  const prompt =
    view.prompt === null || !isAsked ? [] : [indent(view.prompt.trimEnd(), '> ', columns, paint.bold)];
  const told = new Set(steps.flatMap((step) => (step.type === 'warning' ? [step.message] : [])));
  const warnings = view.warnings
    .filter((warning) => !told.has(warning))
    .map((warning) => hang('! ', safeLine(warning), columns, paint.yellow));
  // Told below, with what to do.
  const body = steps.filter((step) => step.type !== 'error' || step.message !== view.error?.message);
  const replayed =
    view.replay_reason === null
      ? []
      : [
          hang(
            '  ',
            `(a new thread was told what was before: ${safeLine(view.replay_reason)})`,
            columns,
            paint.dim,
          ),
        ];
  const answered = steps.some((step) => step.type === 'message');
  const silent = view.status === 'completed' && !answered ? ['  (it completed without an answer)'] : [];
  const error = view.error === null ? [] : errorLines(view.error);
  const failure = error.map((line, i) => hang(i === 0 ? 'error: ' : '  ', line, columns, paint.red));
  return [
    rule(view, style),
    ...prompt,
    ...replayed,
    ...warnings,
    ...stepsText(body, style, options),
    ...silent,
    ...(failure.length === 0 ? [] : [failure.join('\n')]),
  ].join('\n\n');
}

/**
 * The page of one session: a card, then the conversation with what the agent did. `steps` are those of all turns, also
 * where the session was narrowed to one; `full` tells all of them whole.
 */
export function renderSession(
  session: SessionDetail,
  steps: readonly TurnSteps[],
  style: Style,
  full: boolean,
): string {
  const options = { full, directory: session.working_dir };
  const isHidden = (view: TurnView): boolean =>
    !full && session.turns.length > 1 && !view.in_conversation && view.kind !== 'rewind';
  const hidden = session.turns.filter(isHidden).map(({ turn }) => turn);
  const turns = session.turns.flatMap((view) =>
    isHidden(view)
      ? []
      : [turnText(view, steps.find(({ turn }) => turn === view.turn)?.steps ?? [], style, options)],
  );
  const words = `${hidden.length === 1 ? 'turn' : 'turns'} ${rangesOf(hidden)} wound back; see: zwarm show ${session.id} --full`;
  const left = hidden.length === 0 ? [] : [style.paint.dim(hang('  ', `(${words})`, readable(style.width)))];
  return `${[card(session, steps, style), ...left, ...turns].join('\n\n')}\n`;
}
