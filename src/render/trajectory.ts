import type { SessionReader } from '../core/conversation/session-reader.ts';
import { type Step, stepLine } from '../core/conversation/steps.ts';
import { endWords, paintEnd, proseOf, SIGNS, stepLines } from './steps.ts';
import type { Style } from './style.ts';
import { lineOf } from './text/width.ts';
import { turnHeading } from './turn-rule.ts';

/** What paints the line of a step, where something does. */
const PAINTS: Partial<Readonly<Record<Step['type'], 'cyan' | 'dim' | 'magenta' | 'red'>>> = {
  command: 'cyan',
  tool_call: 'cyan',
  reasoning: 'dim',
  warning: 'magenta',
  error: 'red',
};

/** How to show what an agent did. */
export interface TrajectoryOptions {
  /** Only this turn. */
  readonly turn: number | undefined;
  /** All that belongs to a step; else a line for each. */
  readonly full: boolean;
  /** When each turn began. */
  readonly time: boolean;
}

/** A number has at least so many columns: how many steps there are is known only when all have been read. */
const GUTTER = 3;

/** A step on one line, in the words of `stepLines`. */
function summaryLine(step: Step, style: Style, directory: string | null): string {
  const end = endWords(step);
  const by = step.subagent === undefined ? '' : '↳ ';
  const sign = step.type === 'warning' || step.type === 'error' ? SIGNS[step.type] : '';
  const isProse = step.type === 'message' || step.type === 'reasoning';
  const said = isProse ? proseOf(step.content, style) : stepLine(step, directory);
  const words = lineOf(by + sign + said, Math.max(8, style.width - 1 - end.length));
  const colour = PAINTS[step.type];
  return ` ${colour === undefined ? words : style.paint[colour](words)}${paintEnd(end, style)}`;
}

/**
 * What an agent did, line by line, as its turns are read: each turn as a heading, with how it ended or stands, and its
 * steps below it, each behind its number in the session.
 */
export function* renderTrajectory(
  { summary, turns }: SessionReader,
  style: Style,
  { turn: only, full, time }: TrajectoryOptions,
): Generator<string> {
  let before = 0;
  let gap = '';
  for (const { view, directory, steps } of turns) {
    const isShown = only === undefined || view.turn === only;
    if (isShown) yield `${gap}${turnHeading(view, style, { time, agent: summary.agent })}\n`;
    if (isShown && full) gap = '\n';
    let count = 0;
    for (const { index, step } of steps()) {
      count = Math.max(count, index + 1);
      if (!isShown) continue;
      const number = String(before + index + 1).padStart(GUTTER);
      const narrower = { ...style, width: style.width - number.length };
      let first = gap + style.paint.dim(number);
      for (const lines of full
        ? stepLines(step, narrower, { full, directory })
        : [summaryLine(step, narrower, directory)]) {
        const line = lines.replace(/\n(?=.)/g, `\n${' '.repeat(number.length)}`);
        yield `${line === '' ? first.trimEnd() : first + line}\n`;
        first = ' '.repeat(number.length);
      }
    }
    before += count;
  }
}
