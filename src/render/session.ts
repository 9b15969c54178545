import type { Step } from '../core/conversation/steps.ts';
import type { SessionDetail, SessionError, TurnSteps, TurnView } from '../core/session.ts';
import { safeLine } from './safe-text.ts';
import { indent, renderStep } from './steps.ts';
import { longSpan, paintStatus, type Style, shortCount } from './style.ts';

/** Why something failed and what to do, as lines of text. */
export function errorLines(error: SessionError): string[] {
  const said = safeLine(error.message);
  return error.hint === null ? [said] : [said, `hint: ${safeLine(error.hint)}`];
}

function card(session: SessionDetail, style: Style): string {
  const usage = session.token_usage;
  const rows: [string, string | null][] = [
    ['name', session.name],
    ['agent', [session.agent, session.model].filter((word) => word !== null).join(', ')],
    ['sandbox', session.sandbox],
    ['directory', session.working_dir],
    ['turn', String(session.turn)],
    ['duration', session.duration_ms === null ? null : longSpan(session.duration_ms)],
    [
      'tokens',
      usage === null
        ? null
        : `${shortCount(usage.input_tokens)} in (${shortCount(usage.cached_input_tokens)} cached), ${shortCount(usage.output_tokens)} out`,
    ],
    ['thread', session.thread_id],
    ['created', session.created_at],
    ['ended', session.ended_at],
    ['log', session.log_file],
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === null || value === '' ? [] : [`  ${style.paint.dim(label.padEnd(10))} ${safeLine(value)}`],
  );
  const why =
    session.error === null ? [] : errorLines(session.error).map((line) => `  ${style.paint.red(line)}`);
  return [`${style.paint.bold(session.id)}  ${paintStatus(session.status, style)}`, ...why, ...lines].join(
    '\n',
  );
}

function rule(words: string, style: Style): string {
  return style.paint.dim(
    `── ${words} ${'─'.repeat(Math.max(2, Math.min(style.width, 80) - words.length - 4))}`,
  );
}

function answersText(view: TurnView, answers: readonly string[]): string[] {
  if (answers.length > 0) return answers.map((answer) => indent(answer, '  '));
  return view.status === 'completed' ? ['  (it completed without an answer)'] : [];
}

function turnText(
  view: TurnView,
  answers: readonly string[],
  steps: readonly Step[] | null,
  directory: string | null,
  style: Style,
): string {
  const how = view.how === null || view.how === 'native' || view.turn === 1 ? '' : ` · ${view.how}`;
  const head = rule(`turn ${view.turn} · ${view.status}${how}`, style);
  const prompt = view.prompt === null ? [] : [style.paint.bold(indent(view.prompt.trimEnd(), '> '))];
  const warnings = view.warnings.map((warning) => style.paint.yellow(`! ${safeLine(warning)}`));
  const body =
    steps === null
      ? answersText(view, answers)
      : steps.map((step) => renderStep(step, style, { full: true, directory }));
  const error = view.error === null ? [] : errorLines(view.error).map((line) => style.paint.red(line));
  return [head, ...prompt, ...warnings, ...body, ...error].join('\n\n');
}

/** The page of one session: a card, then the conversation; with `steps`, also what the agent did. */
export function renderSession(
  session: SessionDetail,
  steps: readonly TurnSteps[] | null,
  style: Style,
): string {
  const turns = session.turns.map((view) => {
    const answers = session.messages.filter(
      (message) => message.turn === view.turn && message.role === 'assistant',
    );
    const ofTurn = steps === null ? null : (steps.find(({ turn }) => turn === view.turn)?.steps ?? []);
    return turnText(
      view,
      answers.map((message) => message.content),
      ofTurn,
      session.working_dir,
      style,
    );
  });
  return `${[card(session, style), ...turns].join('\n\n')}\n`;
}
