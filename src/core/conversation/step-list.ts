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

function actionOf(event: AgentEvent): Step | null {
  switch (event.type) {
    case 'message':
      return { type: 'message', role: 'assistant', content: event.text };
    case 'reasoning':
      return { type: 'reasoning', content: event.text };
    case 'command': {
      const { type, command, output, exitCode, status } = event;
      return { type, command, output, exit_code: exitCode, status };
    }
    case 'file_change':
      return { type: event.type, changes: event.changes, status: event.status };
    case 'tool_call': {
      const { type, name, args, result, status } = event;
      return { type, name, args, result, status };
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

function stepOf(event: AgentEvent): Step | null {
  const action = actionOf(event);
  return action === null || event.subagent === undefined ? action : { ...action, subagent: event.subagent };
}

/** At least this many ended items are remembered: a later event of an item comes soon, if at all. */
const REMEMBERED = 5000;

/** An empty list. An index never changes: the last step of each index makes up the steps of the turn. */
export function createStepList(): StepList {
  // By their items: the steps under way, and where those stand that ended last.
  const underWay = new Map<string, PlacedStep>();
  // Two generations, the older forgotten at once: a map of which the first goes each time is slow.
  let ended = new Map<string, number>();
  let older = ended;
  let length = 0;
  /** The words of the last step, if that is a warning. */
  let warned: string | null = null;
  let retrying = false;
  /** The last plan: the end of its item repeats it. */
  let plan = '';

  function remember(key: string, step: PlacedStep): void {
    if (step.open) {
      underWay.set(key, step);
      return;
    }
    underWay.delete(key);
    if (ended.size === REMEMBERED) [older, ended] = [ended, new Map()];
    ended.set(key, step.index);
  }

  return {
    add(event) {
      if (event.type === 'redundant') return null;
      // A retry that led to nothing yet is all that the agent is doing; one that helped is not worth a word.
      retrying = event.type === 'retry';
      const step = stepOf(event);
      if (step === null) return null;
      if (retrying) return { index: length, step, open: true };
      // A later event of the same item replaces the earlier one.
      const key = 'id' in event ? `${event.type} ${event.id}` : '';
      // Some agents print a failure as a warning first; one of them is enough.
      const repeats = event.type === 'turn_failed' && event.message === warned;
      const known = repeats ? length - 1 : (underWay.get(key)?.index ?? ended.get(key) ?? older.get(key));
      const placed = { index: known ?? length, step, open: isUnderWay(step) };
      if (key !== '') remember(key, placed);
      if (placed.index >= length - 1) warned = step.type === 'warning' ? step.message : null;
      length = Math.max(length, placed.index + 1);
      if (step.type === 'plan') {
        const told = plan;
        plan = `${placed.index} ${JSON.stringify(step.items)}`;
        if (plan === told) return null;
      }
      return placed;
    },
    interrupted: () =>
      [...underWay.values()]
        .sort((a, b) => a.index - b.index)
        .map(({ index, step }) => ({ index, step: interrupted(step), open: false })),
    length: () => length + (retrying ? 1 : 0),
  };
}
