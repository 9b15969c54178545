import type { Step } from './steps.ts';

/** An item of an agent's history file, and when it was done (ms since the epoch). */
export interface TimedItem {
  /** What it did, as `stepKey` tells it of a step: items are matched by this alone, never by their place. */
  readonly key: string;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** When a step began and ended; null where that is not known. */
export interface StepTime {
  readonly startedMs: number;
  readonly endedMs: number;
}

/**
 * Gives the steps of one turn the times of the items that are the same, in order, each item once. An item without a step
 * (a command that the sandbox refused, say) is passed over, and a step without an item gets null.
 */
export function timesOfSteps(
  steps: readonly Step[],
  items: readonly TimedItem[],
  keyOf: (step: Step) => string | null,
): (StepTime | null)[] {
  const waiting = new Map<string, TimedItem[]>();
  for (const item of items) {
    const same = waiting.get(item.key);
    if (same === undefined) waiting.set(item.key, [item]);
    else same.push(item);
  }
  return steps.map((step) => {
    const key = keyOf(step);
    const item = key === null ? undefined : waiting.get(key)?.shift();
    return item === undefined ? null : { startedMs: item.startedMs, endedMs: item.endedMs };
  });
}
