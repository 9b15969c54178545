import type { AgentEvent, UsageReport } from '../events.ts';
import type { Terminal } from '../status.ts';
import type { Step } from './steps.ts';

/** What the events of one turn add up to. */
export interface TurnFold {
  readonly threadId: string | null;
  readonly model: string | null;
  readonly steps: readonly Step[];
  /** The texts of the assistant's messages, in order. */
  readonly messages: readonly string[];
  /** The last assistant message of this turn, or null. */
  readonly answer: string | null;
  /** The last token report of this turn, as the agent gave it. */
  readonly usage: UsageReport | null;
  readonly terminal: Terminal | null;
  readonly warnings: readonly string[];
  readonly retries: number;
  /** Lines of a kind that we do not know, and lines that are no event at all. */
  readonly unknown: number;
  readonly malformed: number;
}

/** What a fold counts and keeps while events arrive. */
export interface Folder {
  add(event: AgentEvent): void;
  /** The result so far. `ended`: the turn is over, so what never completed was interrupted. */
  result(ended: boolean): TurnFold;
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

/** A fold over the events of one turn. Pure: its result is a function of the events alone. */
export function createFolder(): Folder {
  const steps: Step[] = [];
  // Items are keyed by their id: a later event of the same item replaces the earlier one in its place.
  const places = new Map<string, number>();
  let threadId: string | null = null;
  let model: string | null = null;
  let usage: UsageReport | null = null;
  let terminal: Terminal | null = null;
  let retries = 0;
  let retrying: string | null = null;
  let unknown = 0;
  let malformed = 0;

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
      place(event);
      retrying = event.type === 'retry' ? event.message : null;
      if (event.type === 'thread_started') {
        // The first one counts: a forged second one changes nothing.
        threadId ??= event.threadId;
        model ??= event.model;
      } else if (event.type === 'usage') usage = event.usage;
      else if (event.type === 'turn_completed') terminal = { kind: 'completed' };
      else if (event.type === 'turn_failed') terminal = { kind: 'failed', message: event.message };
      else if (event.type === 'retry') retries += 1;
      else if (event.type === 'unknown') unknown += 1;
      else if (event.type === 'malformed') malformed += 1;
    },
    result(ended) {
      // Codex announces a failure as a warning first; said once is enough.
      const failure = terminal?.kind === 'failed' ? terminal.message : null;
      const kept = steps.filter((step) => step.type !== 'warning' || step.message !== failure);
      // A retry that led to nothing yet is all that the agent is doing; one that helped is not worth a word.
      if (retrying !== null) kept.push({ type: 'warning', message: retrying });
      const messages = kept.flatMap((step) => (step.type === 'message' ? [step.content] : []));
      const warnings = kept.flatMap((step) => (step.type === 'warning' ? [step.message] : []));
      return {
        threadId,
        model,
        steps: ended ? kept.map(interrupted) : kept,
        messages,
        answer: messages.at(-1) ?? null,
        usage,
        terminal,
        warnings,
        retries,
        unknown,
        malformed,
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
