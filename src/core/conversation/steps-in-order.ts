import type { AgentEvent } from '../events.ts';
import type { PlacedStep, StepList } from './step-list.ts';

/** Steps that wait for one before them to end; more than these are not held in memory. */
const HELD_AT_MOST = 100;

function inOrder(steps: ReadonlyMap<number, PlacedStep>): PlacedStep[] {
  return [...steps.values()].sort((a, b) => a.index - b.index);
}

/** Takes out the steps that are due before more is read: the newest may yet change, and so may what is open. */
function takeDue(waiting: Map<number, PlacedStep>, newest: number): PlacedStep[] {
  if (waiting.size === 0) return [];
  const due: PlacedStep[] = [];
  for (const change of inOrder(waiting)) {
    if (change.index >= newest || (change.open && waiting.size <= HELD_AT_MOST)) break;
    waiting.delete(change.index);
    due.push(change);
  }
  return due;
}

/**
 * The steps of some events in their order, each as soon as it can hardly change any more; at the end of the events all
 * that are left, and once the turn has `ended` those that never did as interrupted. A step that changes after it was
 * given comes again.
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
    yield* takeDue(waiting, list.length() - 1);
  }
  if (ended) for (const change of list.interrupted()) waiting.set(change.index, change);
  // A retry that has helped is no step any more.
  yield* inOrder(waiting).filter(({ index }) => index < list.length());
}
