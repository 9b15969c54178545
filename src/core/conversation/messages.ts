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

/**
 * The messages of a conversation with what the agent did between them, as messages of role `tool`. `said` are the
 * messages of each turn that is part of the conversation.
 */
export function* fullMessages(
  said: ReadonlyMap<number, Iterable<Message>>,
  turns: readonly TurnSteps[],
): Generator<Message> {
  for (const { turn, steps } of turns) {
    const messages = said.get(turn);
    if (messages === undefined) continue;
    for (const message of messages) if (message.role === 'user') yield message;
    for (const step of steps) {
      const content = step.type === 'message' ? step.content : toolContent(step);
      if (content === null) continue;
      yield { role: step.type === 'message' ? 'assistant' : 'tool', content, turn, timestamp: null };
    }
  }
}
