import type { FileEdit, PlanItem, StepStatus } from '../events.ts';
import { pathFrom } from '../path.ts';
import { withoutShell } from '../shell-word.ts';

/** One thing that an agent did in a turn, in the order of its first event. */
export type Step = Action & {
  /** The id of the tool call by which the agent started another one, which did it; absent where it did it itself. */
  readonly subagent?: string;
};

type Action =
  | { readonly type: 'reasoning'; readonly content: string }
  | { readonly type: 'message'; readonly role: 'assistant'; readonly content: string }
  | {
      readonly type: 'command';
      readonly command: string;
      readonly output: string | null;
      readonly exit_code: number | null;
      readonly status: StepStatus;
    }
  | { readonly type: 'file_change'; readonly changes: readonly FileEdit[]; readonly status: StepStatus }
  | {
      readonly type: 'tool_call';
      readonly name: string;
      readonly args: unknown;
      readonly result: unknown;
      readonly status: StepStatus;
    }
  | { readonly type: 'plan'; readonly items: readonly PlanItem[] }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'error'; readonly message: string };

/** What a tool was given or gave: a text as it is, anything else as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/**
 * A step in a few words, for one line of a list or of progress. Not neutralised: it holds the agent's text. Paths below
 * `directory` are relative to it.
 */
export function stepLine(step: Step, directory: string | null = null): string {
  switch (step.type) {
    case 'reasoning':
    case 'message':
      return step.content;
    case 'command':
      return `$ ${withoutShell(step.command)}`;
    case 'file_change':
      return step.changes.map(({ kind, path }) => `${kind} ${pathFrom(directory, path)}`).join(', ');
    case 'tool_call':
      return `${step.name} ${step.args === null ? '' : valueText(step.args)}`.trim();
    case 'plan':
      return `plan: ${step.items.filter((item) => item.completed).length} of ${step.items.length} done`;
    case 'warning':
    case 'error':
      return step.message;
  }
}

/** What a step did, for people and for replays; null for messages and thoughts. */
export function toolContent(step: Step): string | null {
  switch (step.type) {
    case 'command': {
      const end = step.exit_code === null ? `[${step.status}]` : `[exit ${step.exit_code}]`;
      return [`$ ${withoutShell(step.command)}`, ...(step.output ? [step.output.trimEnd()] : []), end].join(
        '\n',
      );
    }
    case 'file_change':
      return [...step.changes.map(({ kind, path }) => `${kind} ${path}`), `[${step.status}]`].join('\n');
    case 'tool_call': {
      const parts = [step.args, step.result].map(valueText);
      return [step.name, ...parts, `[${step.status}]`].join('\n');
    }
    default:
      return null;
  }
}

/** The files that a step has changed, in the agent's words; those below its directory relative to that. */
export function changedFiles(step: Step, directory: string): readonly string[] {
  const hasChanged = step.type === 'file_change' && step.status === 'completed';
  return hasChanged ? step.changes.map(({ path }) => pathFrom(directory, path)) : [];
}
