import type { AgentEvent } from '../events.ts';
import type { Step } from './steps.ts';

/** A step with its index in its turn, from 0: a new one, or one that has changed. */
export interface PlacedStep {
  readonly index: number;
  readonly step: Step;
  /** It is under way, or may disappear: it is yielded once more when it has ended or another replaces it. */
  readonly open: boolean;
}

/** The steps of one turn while its events arrive. It remembers where each stands, and only those that are open. */
export interface StepList {
  /** Takes an event in; the step that it adds or changes, or null. */
  add(event: AgentEvent): PlacedStep | null;
  /** The turn is over: the steps that never ended, as interrupted, in order. */
  interrupted(): readonly PlacedStep[];
  /** How many steps there are by now. */
  length(): number;
}

function isUnderWay(step: Step): boolean {
  return 'status' in step && step.status === 'in_progress';
}

/** A step as it stands when its turn is over: what never ended was interrupted. */
export function interrupted(step: Step): Step {
  return 'status' in step && isUnderWay(step) ? { ...step, status: 'interrupted' } : step;
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
    case 'retry':
      return { type: 'warning', message: event.message };
    case 'turn_failed':
      return { type: 'error', message: event.message };
    default:
      return null;
  }
}

/** At least this many ended items are remembered: a later event of an item comes soon, if at all. */
const REMEMBERED = 5000;

/** The places of items by their ids: of all that are under way, and of the last that have ended. */
function createPlaces() {
  const underWay = new Map<string, number>();
  // Two generations, the older forgotten at once: a map of which the first goes each time is slow.
  let ended = new Map<string, number>();
  let older = ended;
  return {
    find: (key: string): number | undefined => underWay.get(key) ?? ended.get(key) ?? older.get(key),
    set(key: string, index: number, open: boolean): void {
      if (open) underWay.set(key, index);
      else {
        underWay.delete(key);
        if (ended.size === REMEMBERED) [older, ended] = [ended, new Map()];
        ended.set(key, index);
      }
    },
  };
}

/** An empty list. An index never changes: the last step of each index makes up the steps of the turn. */
export function createStepList(): StepList {
  const places = createPlaces();
  const underWay = new Map<number, Step>();
  let length = 0;
  /** The words of the last step, if that is a warning. */
  let warned: string | null = null;
  let retrying = false;
  /** The last plan: the end of its item repeats it. */
  let plan = '';

  /** A later event of the same item replaces the earlier one. */
  function placeOf(event: AgentEvent, open: boolean): number {
    // Codex prints a failure as a warning first; one of them is enough.
    if (event.type === 'turn_failed' && event.message === warned) return length - 1;
    if (!('id' in event)) return length;
    const key = `${event.type} ${event.id}`;
    const index = places.find(key) ?? length;
    places.set(key, index, open);
    return index;
  }

  return {
    add(event) {
      if (event.type === 'redundant') return null;
      // A retry that led to nothing yet is all that the agent is doing; one that helped is not worth a word.
      retrying = event.type === 'retry';
      const step = stepOf(event);
      if (step === null) return null;
      if (retrying) return { index: length, step, open: true };
      const open = isUnderWay(step);
      const index = placeOf(event, open);
      if (index >= length - 1) warned = step.type === 'warning' ? step.message : null;
      length = Math.max(length, index + 1);
      if (step.type === 'plan') {
        const told = plan;
        plan = `${index} ${JSON.stringify(step.items)}`;
        if (plan === told) return null;
      }
      if (open) underWay.set(index, step);
      else underWay.delete(index);
      return { index, step, open };
    },
    interrupted: () =>
      [...underWay]
        .sort(([a], [b]) => a - b)
        .map(([index, step]) => ({ index, step: interrupted(step), open: false })),
    length: () => length + (retrying ? 1 : 0),
  };
}
