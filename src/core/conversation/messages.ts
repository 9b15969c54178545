import type { Message, TurnSteps } from '../session.ts';
import type { Step } from './steps.ts';

/** What a step did, for people and for agents that have to be told; null for what is said. */
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

/** The messages of a conversation with what the agent did between them, as messages of role `tool`. */
export function fullMessages(messages: readonly Message[], turns: readonly TurnSteps[]): Message[] {
  return turns.flatMap(({ turn, steps }) => [
    ...messages.filter((message) => message.turn === turn && message.role === 'user'),
    ...steps.flatMap((step): Message[] => {
      if (step.type === 'message')
        return [{ role: 'assistant', content: step.content, turn, timestamp: null }];
      const content = toolContent(step);
      return content === null ? [] : [{ role: 'tool', content, turn, timestamp: null }];
    }),
  ]);
}
