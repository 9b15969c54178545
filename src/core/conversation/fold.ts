import type { AgentEvent } from '../events.ts';
import { createOutcomeFolder, type Folder, type TurnOutcome } from './outcome.ts';
import { createStepList, interrupted } from './step-list.ts';
import type { Step } from './steps.ts';

/** All that the events of one turn add up to: its outcome, with the answer whole, and every word. */
export interface TurnFold extends TurnOutcome {
  readonly steps: readonly Step[];
  /** The texts of the assistant's messages, in order. */
  readonly messages: readonly string[];
  readonly warnings: readonly string[];
}

/** A fold that keeps everything. Pure: its result is a function of the events alone. */
export function createFolder(): Folder<TurnFold> {
  const outcome = createOutcomeFolder();
  const list = createStepList();
  const placed: Step[] = [];
  const warned: string[] = [];
  let failure: string | null = null;
  let retrying: string | null = null;

  return {
    add(event) {
      outcome.add(event);
      const change = list.add(event);
      if (change !== null) placed[change.index] = change.step;
      if (event.type === 'redundant') return;
      retrying = event.type === 'retry' ? event.message : null;
      if (event.type === 'warning') warned.push(event.message);
      else if (event.type === 'turn_completed') failure = null;
      else if (event.type === 'turn_failed') failure = event.message;
    },
    result(ended) {
      // A retry that helped has left its words behind the last step.
      const steps = placed.slice(0, list.length());
      const messages = steps.flatMap((step) => (step.type === 'message' ? [step.content] : []));
      const warnings = warned.filter((message) => message !== failure);
      return {
        ...outcome.result(ended),
        answer: messages.at(-1) ?? null,
        steps: ended ? steps.map(interrupted) : steps,
        messages,
        warnings: retrying === null ? warnings : [...warnings, retrying],
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
