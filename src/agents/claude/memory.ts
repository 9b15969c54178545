import type { UnnumberedEvent } from '../../core/events.ts';
import { createCalls } from './calls.ts';

/** What the parser remembers of the lines before. */
export interface Memory {
  readonly calls: ReturnType<typeof createCalls>;
  /** The `uuid`s of lines that sum up what was said before the last compaction, or repeat it. */
  repeated: ReadonlySet<string>;
  /** Whether it has told a result, and did not begin to work again. */
  ended: boolean;
  /** Why a result is no completion, whatever it says; null as long as nothing was cut off. */
  cut: string | null;
}

/** The memory of a stream of which nothing was read. */
export const createMemory = (): Memory => ({
  calls: createCalls(),
  repeated: new Set(),
  ended: false,
  cut: null,
});

/** Why a turn has failed whose work was ended, whatever its result says. */
export const cutOff = (what: string): string =>
  `its work in the background was ended before it was done: ${what}`;

/** What a line tells that adds nothing; a new one each time, as it gets the number of its line. */
export const redundant = (): UnnumberedEvent => ({ type: 'redundant' });
/** These events, or that a line adds nothing. */
export const orRedundant = (events: readonly UnnumberedEvent[]): readonly UnnumberedEvent[] =>
  events.length === 0 ? [redundant()] : events;
