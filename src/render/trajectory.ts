import { type Step, stepLine } from '../core/conversation/steps.ts';
import type { TrajectoryStep } from '../core/conversation/trajectory.ts';
import type { TurnView } from '../core/session.ts';
import { withoutShell } from '../core/shell-word.ts';
import { renderStep } from './steps.ts';
import type { Style } from './style.ts';
import { kindWords, turnRule } from './turn-rule.ts';
import { lineOf } from './width.ts';

/** What a line of a list begins with; the words of a command bring their own `$`. */
const SIGNS: Readonly<Record<Exclude<Step['type'], 'command'>, string>> = {
  reasoning: '~',
  message: '»',
  file_change: '±',
  tool_call: '@',
  plan: '#',
  warning: '!',
  error: '✗',
};

function wordsOf(step: Step): string {
  return step.type === 'command'
    ? `$ ${withoutShell(step.command)}`
    : `${SIGNS[step.type]} ${stepLine(step)}`;
}

/** How a step came out, unless it came out well. */
function endOf(step: Step): string {
  if (step.type === 'command' && step.exit_code !== null) {
    return step.exit_code === 0 ? '' : ` [exit ${step.exit_code}]`;
  }
  return 'status' in step && step.status !== 'completed' ? ` [${step.status}]` : '';
}

function paintLine(step: Step, text: string, { paint }: Style): string {
  switch (step.type) {
    case 'command':
      return paint.cyan(text);
    case 'message':
      return text;
    case 'warning':
      return paint.yellow(text);
    case 'error':
      return paint.red(text);
    default:
      return paint.dim(text);
  }
}

/** Turns as headings, with how each of them ended or stands. */
export type TurnHeading = Pick<TurnView, 'turn' | 'kind' | 'to' | 'covers' | 'status' | 'in_conversation'>;

function headingOf(turn: TurnHeading): string {
  const undone = turn.in_conversation || turn.kind === 'rewind' ? [] : ['wound back'];
  return [`turn ${turn.turn}`, ...kindWords(turn), ...undone].join(' · ');
}

function underHeadings(
  turns: readonly TurnHeading[],
  steps: readonly TrajectoryStep[],
  style: Style,
  between: string,
  render: (step: TrajectoryStep, gutter: number) => string,
): string {
  const gutter = String(steps.at(-1)?.step ?? 0).length;
  const blocks = turns.flatMap((turn) => [
    turnRule(headingOf(turn), style),
    ...steps.filter((step) => step.turn === turn.turn).map((step) => render(step, gutter)),
  ]);
  return blocks.map((block) => `${block}\n`).join(between);
}

/** The steps of a session, a line for each, as wide as the style says. */
export function renderSummary(
  turns: readonly TurnHeading[],
  steps: readonly TrajectoryStep[],
  style: Style,
): string {
  return underHeadings(turns, steps, style, '', (step, gutter) => {
    const end = endOf(step);
    const words = lineOf(wordsOf(step), Math.max(8, style.width - gutter - 1 - end.length));
    const number = style.paint.dim(String(step.step).padStart(gutter));
    return `${number} ${paintLine(step, words, style)}${style.paint.dim(end)}`;
  });
}

/** The steps of a session with all that belongs to them; the number of each stands before its first line. */
export function renderSteps(
  turns: readonly TurnHeading[],
  steps: readonly TrajectoryStep[],
  style: Style,
  directory: string | null,
): string {
  return underHeadings(turns, steps, style, '\n', (step, gutter) => {
    const block = renderStep(step, { ...style, width: style.width - gutter }, { full: true, directory });
    const number = style.paint.dim(String(step.step).padStart(gutter));
    return block
      .split('\n')
      .map((line, i) => (i === 0 ? number : line === '' ? '' : ' '.repeat(gutter)) + line)
      .join('\n');
  });
}
