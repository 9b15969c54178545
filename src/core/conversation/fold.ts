import type { AgentEvent } from '../events.ts';
import type { Folder } from './outcome.ts';
import { createStepList, interrupted } from './step-list.ts';
import type { Step } from './steps.ts';
import { createReportFolder, type TurnWords } from './words.ts';

/** All that the events of one turn add up to: what was said, and what was done. */
export interface TurnFold extends TurnWords {
  readonly messages: readonly string[];
  readonly steps: readonly Step[];
}

/** A fold that keeps everything. Pure: its result is a function of the events alone. */
export function createFolder(): Folder<TurnFold> {
  const report = createReportFolder();
  const list = createStepList();
  const placed: Step[] = [];

  return {
    add(event) {
      report.add(event);
      const change = list.add(event);
      if (change !== null) placed[change.index] = change.step;
    },
    result(ended) {
      // A retry that helped has left its words behind the last step.
      const steps = placed.slice(0, list.length());
      return {
        ...report.result(ended),
        messages: steps.flatMap((step) => (step.type === 'message' ? [step.content] : [])),
        steps: ended ? steps.map(interrupted) : steps,
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
