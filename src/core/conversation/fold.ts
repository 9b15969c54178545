import type { AgentEvent } from '../events.ts';
import { createOutcomeFolder, type Folder, type TurnOutcome } from './outcome.ts';
import type { Step } from './steps.ts';

/** All that the events of one turn add up to: its outcome, with the answer whole, and every word. */
export interface TurnFold extends TurnOutcome {
  readonly steps: readonly Step[];
  /** The texts of the assistant's messages, in order. */
  readonly messages: readonly string[];
  readonly warnings: readonly string[];
}

function interrupted(step: Step): Step {
  return 'status' in step && step.status === 'in_progress' ? { ...step, status: 'interrupted' } : step;
}

function stepOf(event: AgentEvent): Step | null {
  switch (event.type) {
    case 'message':
      return { type: 'message', role: 'assistant', content: event.text };
    case 'reasoning':
      return { type: 'reasoning', content: event.text };
    case 'command': {
      const { command, output, exitCode, status } = event;
      return { type: 'command', command, output, exit_code: exitCode, status };
    }
    case 'file_change':
      return { type: 'file_change', changes: event.changes, status: event.status };
    case 'tool_call': {
      const { name, args, result, status } = event;
      return { type: 'tool_call', name, args, result, status };
    }
    case 'plan':
      return { type: 'plan', items: event.items };
    case 'warning':
      return { type: 'warning', message: event.message };
    case 'turn_failed':
      return { type: 'error', message: event.message };
    default:
      return null;
  }
}

/** A fold that keeps everything. Pure: its result is a function of the events alone. */
export function createFolder(): Folder<TurnFold> {
  const outcome = createOutcomeFolder();
  const steps: Step[] = [];
  // Items are keyed by their id: a later event of the same item replaces the earlier one in its place.
  const places = new Map<string, number>();
  let failure: string | null = null;
  let retrying: string | null = null;

  function place(event: AgentEvent): void {
    const step = stepOf(event);
    if (step === null) return;
    const key = 'id' in event ? `${event.type} ${event.id}` : null;
    const known = key === null ? undefined : places.get(key);
    if (known !== undefined) steps[known] = step;
    else {
      if (key !== null) places.set(key, steps.length);
      steps.push(step);
    }
  }

  return {
    add(event) {
      outcome.add(event);
      if (event.type === 'redundant') return;
      place(event);
      retrying = event.type === 'retry' ? event.message : null;
      if (event.type === 'turn_completed') failure = null;
      else if (event.type === 'turn_failed') failure = event.message;
    },
    result(ended) {
      // Codex announces a failure as a warning first; said once is enough.
      const kept = steps.filter((step) => step.type !== 'warning' || step.message !== failure);
      // A retry that led to nothing yet is all that the agent is doing; one that helped is not worth a word.
      if (retrying !== null) kept.push({ type: 'warning', message: retrying });
      const messages = kept.flatMap((step) => (step.type === 'message' ? [step.content] : []));
      const warnings = kept.flatMap((step) => (step.type === 'warning' ? [step.message] : []));
      return {
        ...outcome.result(ended),
        answer: messages.at(-1) ?? null,
        steps: ended ? kept.map(interrupted) : kept,
        messages,
        warnings,
      };
    },
  };
}

/** The fold of a whole list of events. */
export function foldEvents(events: Iterable<AgentEvent>, ended: boolean): TurnFold {
  const folder = createFolder();
  for (const event of events) folder.add(event);
  return folder.result(ended);
}
