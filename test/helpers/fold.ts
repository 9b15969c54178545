import { createFolder, type TurnFold } from '../../src/core/conversation/fold.ts';
import { createStepList } from '../../src/core/conversation/step-list.ts';
import type { Step } from '../../src/core/conversation/steps.ts';
import { stepsInOrder } from '../../src/core/conversation/steps-in-order.ts';
import type { AgentEvent } from '../../src/core/events.ts';

/** All of a turn: its fold, and its messages and steps as they stand at last. */
export interface WholeTurn extends TurnFold {
  readonly messages: readonly string[];
  readonly steps: readonly Step[];
}

/** What some events come to. */
export function foldWhole(events: Iterable<AgentEvent>, ended: boolean): WholeTurn {
  const folder = createFolder();
  const messages: string[] = [];
  function* folded(): Generator<AgentEvent> {
    for (const event of events) {
      folder.add(event);
      if (event.type === 'message' && event.subagent === undefined) messages.push(event.text);
      yield event;
    }
  }
  const steps: Step[] = [];
  for (const { index, step } of stepsInOrder(createStepList(), folded(), ended)) steps[index] = step;
  return { ...folder.result(), messages, steps };
}
