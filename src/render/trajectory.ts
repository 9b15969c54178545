import type { TurnReader } from '../core/conversation/session-reader.ts';
import { type Step, stepLine } from '../core/conversation/steps.ts';
import type { TrajectoryStep } from '../core/conversation/trajectory.ts';
import { withoutShell } from '../core/shell-word.ts';
import { endWords, renderStep } from './steps.ts';
import type { Style } from './style.ts';
import { kindWords, turnRule } from './turn-rule.ts';
import { lineOf } from './width.ts';

/** What the line of a step begins with, and its colour. */
const LINES: Readonly<Record<Step['type'], readonly [string, 'cyan' | 'dim' | 'yellow' | 'red' | null]>> = {
  command: ['$', 'cyan'],
  message: ['»', null],
  reasoning: ['~', 'dim'],
  file_change: ['±', 'dim'],
  tool_call: ['@', 'dim'],
  plan: ['#', 'dim'],
  warning: ['!', 'yellow'],
  error: ['✗', 'red'],
};

/** What an agent did in some turns. */
export interface Trajectory {
  readonly turns: readonly TurnReader['view'][];
  readonly steps: readonly TrajectoryStep[];
}

/** Each turn as a heading, with how it ended or stands, and its steps below it, each behind its number. */
function underHeadings(
  { turns, steps }: Trajectory,
  style: Style,
  between: string,
  render: (step: TrajectoryStep, columns: number) => string,
): string {
  const gutter = String(steps.at(-1)?.step ?? 0).length;
  const numbered = (step: TrajectoryStep): string => {
    const number = style.paint.dim(String(step.step).padStart(gutter));
    return number + render(step, style.width - gutter).replace(/\n(?=.)/g, `\n${' '.repeat(gutter)}`);
  };
  const blocks = turns.flatMap((view) => {
    const undone = view.in_conversation || view.kind === 'rewind' ? [] : ['wound back'];
    const heading = [`turn ${view.turn}`, ...kindWords(view), ...undone].join(' · ');
    return [turnRule(heading, style), ...steps.filter(({ turn }) => turn === view.turn).map(numbered)];
  });
  return blocks.map((block) => `${block}\n`).join(between);
}

/** The steps of a session, a line for each, as wide as the style says. */
export function renderSummary(trajectory: Trajectory, style: Style): string {
  const { paint } = style;
  return underHeadings(trajectory, style, '', (step, columns) => {
    const [sign, colour] = LINES[step.type];
    const said = step.type === 'command' ? withoutShell(step.command) : stepLine(step);
    const end = endWords(step).replace(' [exit 0]', '');
    const words = lineOf(`${sign} ${said}`, Math.max(8, columns - 1 - end.length));
    return ` ${colour === null ? words : paint[colour](words)}${paint.dim(end)}`;
  });
}

/** The steps of a session with all that belongs to them. */
export function renderSteps(trajectory: Trajectory, style: Style, directory: string | null): string {
  return underHeadings(trajectory, style, '\n', (step, width) =>
    renderStep(step, { ...style, width }, { full: true, directory }),
  );
}
