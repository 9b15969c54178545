import type { Step } from './steps.ts';

/** What a step did, for people and for replays; null for messages and thoughts. */
export function toolContent(step: Step): string | null {
  switch (step.type) {
    case 'command': {
      const end = step.exit_code === null ? `[${step.status}]` : `[exit ${step.exit_code}]`;
      return [`$ ${step.command}`, ...(step.output ? [step.output.trimEnd()] : []), end].join('\n');
    }
    case 'file_change':
      return [...step.changes.map(({ kind, path }) => `${kind} ${path}`), `[${step.status}]`].join('\n');
    case 'tool_call': {
      const parts = [step.args, step.result].map((part) =>
        typeof part === 'string' ? part : JSON.stringify(part),
      );
      return [step.name, ...parts, `[${step.status}]`].join('\n');
    }
    default:
      return null;
  }
}
