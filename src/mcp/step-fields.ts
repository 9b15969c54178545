import type { PlacedStep } from '../core/conversation/step-list.ts';
import { type Step, stepLine, valueText } from '../core/conversation/steps.ts';
import type { TrajectoryStep } from '../core/conversation/trajectory.ts';
import type { StepStatus } from '../core/events.ts';
import { cutLine, type TurnView } from '../core/session.ts';
import { withoutShell } from '../core/shell-word.ts';
import { bothEnds, lastLines } from '../core/text-ends.ts';

/** The longest line that sums a step up. */
const SUMMARY_CHARS = 200;
/** The longest text of a whole step. */
const FULL_CHARS = 8000;
/** How much a failed step tells of its output. */
const [LAST_LINES, LAST_CHARS] = [5, 500];

/** A step as a model gets it. */
export type StepFields = Readonly<Record<string, unknown>>;

const lineOf = (step: Step): string => cutLine(stepLine(step), SUMMARY_CHARS);

const isFine = (status: StepStatus): boolean => status === 'completed' || status === 'in_progress';

/** The last lines of what a step has put out that did not end well; null where there are none, and for all others. */
function lastWords(step: Step): string | null {
  if (!('status' in step) || isFine(step.status)) return null;
  const output = step.type === 'command' ? step.output : step.type === 'tool_call' ? step.result : null;
  return output === null ? null : lastLines(valueText(output), LAST_LINES, LAST_CHARS) || null;
}

/**
 * A step on one line; of one that did not end well also the last lines of its output. `undone` is told of what was rewound
 * alone. What is undefined is not told.
 */
export function summaryOf(step: TrajectoryStep): StepFields {
  return {
    step: step.step,
    turn: step.turn,
    type: step.type,
    status: 'status' in step ? step.status : undefined,
    exit_code: 'exit_code' in step ? (step.exit_code ?? undefined) : undefined,
    undone: step.undone || undefined,
    summary: lineOf(step),
    last_lines: lastWords(step) ?? undefined,
  };
}

/** A step with all its fields, of each long one both ends, and its command without the shell around it. */
export function wholeOf(step: TrajectoryStep): StepFields {
  const cut = (value: unknown): unknown => {
    const text = valueText(value);
    return text.length > FULL_CHARS ? bothEnds(text, FULL_CHARS) : value;
  };
  const told = step.type === 'command' ? { ...step, command: withoutShell(step.command) } : step;
  return Object.fromEntries(Object.entries(told).map(([key, value]) => [key, cut(value)]));
}

type AskedTurn = Pick<TurnView, 'turn' | 'by' | 'prompt' | 'undone'>;

/** What the agent was asked in a turn, among its steps: without a number, as it is none of them. */
export function promptFields({ turn, by, prompt, undone }: AskedTurn, full: boolean): StepFields {
  const told = full
    ? { content: bothEnds(prompt ?? '', FULL_CHARS) }
    : { summary: cutLine(prompt ?? '', SUMMARY_CHARS) };
  return { step: null, turn, type: 'user_message', by, undone: undone || undefined, ...told };
}

/** What was done last of some steps, with its last lines, where that did not end well; else null. */
export function lastFailure(steps: Iterable<PlacedStep>): string | null {
  let newest: PlacedStep | null = null;
  // One by one: they may be more than fit into memory.
  for (const placed of steps) {
    const isDone = placed.step.type === 'command' || placed.step.type === 'tool_call';
    if (isDone && placed.index >= (newest?.index ?? 0)) newest = placed;
  }
  const last = newest?.step;
  if (last === undefined || !('status' in last) || isFine(last.status)) return null;
  const end = 'exit_code' in last && last.exit_code !== null ? `exit ${last.exit_code}` : last.status;
  return [`${lineOf(last)} [${end}]`, lastWords(last) ?? []].flat().join('\n');
}
