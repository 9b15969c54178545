import { type Step, stepLine } from '../core/conversation/steps.ts';
import { safeLine, safeText } from './safe-text.ts';
import type { Style } from './style.ts';

/** How much of a step to tell. */
export interface StepOptions {
  /** Also the whole of long outputs. */
  readonly full: boolean;
  /** The session's working directory: paths below it are told from there. */
  readonly directory: string | null;
}

/** A text of an agent, neutralised, each of its lines behind `by`. */
export function indent(text: string, by: string): string {
  return safeText(text)
    .split('\n')
    .map((line) => (line === '' ? '' : by + line))
    .join('\n');
}

/** One step as a block of lines, neutralised, and indented: a line of the agent's can never pose as one of ours. */
export function renderStep(step: Step, style: Style, _options: StepOptions): string {
  if (step.type === 'message') return indent(step.content, '  ');
  const line = safeLine(stepLine(step));
  if (step.type === 'command') {
    const end =
      step.exit_code === null ? ` [${step.status}]` : step.exit_code === 0 ? '' : ` [exit ${step.exit_code}]`;
    const output = step.output ? `\n${indent(step.output.trimEnd(), '    ')}` : '';
    return `${style.paint.cyan(`  ${line}`)}${style.paint.dim(end)}${output}`;
  }
  if (step.type === 'plan') {
    return step.items.map((item) => `  ${item.completed ? '[x]' : '[ ]'} ${safeLine(item.text)}`).join('\n');
  }
  return style.paint.dim(`  ${line}`);
}
