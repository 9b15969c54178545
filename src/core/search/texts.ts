import type { Step } from '../conversation/steps.ts';
import { withoutShell } from '../shell-word.ts';
import type { Place } from './places.ts';

/** A text of a conversation, as people see it. */
export interface PlacedText {
  readonly in: Place;
  readonly text: string;
  /** The file that is changed, in the words of the agent. */
  readonly path: string | null;
}

/** The texts within a JSON value, without its keys. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* textsIn(inner);
}

/** The lines that a diff adds, takes away or leaves, without their signs. */
function contentOf(diff: string): string {
  const lines = diff.split('\n').filter((line) => !line.startsWith('@@'));
  return lines.map((line) => line.slice(1)).join('\n');
}

function commandOf(command: string): string {
  // What the shell leaves out would join two words that are apart in the stream.
  return command.includes('\\\n') ? command : withoutShell(command);
}

/** The texts of a step that are searched: each comes from one line of the stream. */
export function* textsOf(step: Step): Generator<PlacedText> {
  const path = null;
  switch (step.type) {
    case 'message':
      yield { in: 'answer', text: step.content, path };
      return;
    case 'command':
      yield { in: 'command', text: commandOf(step.command), path };
      if (step.output !== null) yield { in: 'output', text: step.output, path };
      return;
    case 'tool_call':
      for (const text of textsIn(step.args)) yield { in: 'command', text, path };
      for (const text of textsIn(step.result)) yield { in: 'output', text, path };
      return;
    case 'file_change':
      for (const { path, diff } of step.changes) {
        yield { in: 'file', text: path, path };
        if (diff !== undefined) yield { in: 'file', text: contentOf(diff), path };
      }
  }
}
