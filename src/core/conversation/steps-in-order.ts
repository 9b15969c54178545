import type { AgentEvent } from '../events.ts';
import type { PlacedStep, StepList } from './step-list.ts';

/** Steps that wait for one before them to end; more than these are not held in memory. */
const HELD_AT_MOST = 100;

const inOrder = (steps: ReadonlyMap<number, PlacedStep>): PlacedStep[] =>
  [...steps.values()].sort((a, b) => a.index - b.index);

/**
 * The steps of some events in order, each as soon as it can hardly change any more; at the end those that are left, and
 * once the turn has `ended` those that never did as interrupted. A step that changes later comes again.
 */
export function* stepsInOrder(
  list: StepList,
  events: Iterable<AgentEvent>,
  ended: boolean,
): Generator<PlacedStep> {
  const waiting = new Map<number, PlacedStep>();
  for (const event of events) {
    const change = list.add(event);
    if (change === null) continue;
    waiting.set(change.index, change);
    for (const due of inOrder(waiting)) {
      // The newest may yet change, and so may what is open.
      const isLast = due.index >= list.length() - 1;
      if (isLast || (due.open && waiting.size <= HELD_AT_MOST)) break;
      waiting.delete(due.index);
      yield due;
    }
  }
  if (ended) for (const change of list.interrupted()) waiting.set(change.index, change);
  // A retry that has helped is no step any more.
  yield* inOrder(waiting).filter(({ index }) => index < list.length());
}
