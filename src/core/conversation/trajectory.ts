import type { TurnSteps } from '../session.ts';
import { isoTime } from '../time.ts';
import type { Step } from './steps.ts';

/** When a step began and ended (ms since the epoch). */
export interface StepTime {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** An item of an agent's history file. It is matched with a step by its key (`stepKey`), never by its place. */
export interface TimedItem extends StepTime {
  readonly key: string;
}

/** The clocks of an agent and of our records are one, but for the moment between an act and its record. */
export const CLOCK_SLACK_MS = 2000;

/** A step with its number in the session: the JSON contract of `docs/formats.md`. */
export type TrajectoryStep = Step & {
  readonly turn: number;
  /** Its number, counted from 1 through all turns. With `turn` it names the step, also while that changes. */
  readonly step: number;
  /** Whether its turn was rewound. */
  readonly undone: boolean;
  /** When it began and ended, or null where that is not known. */
  readonly started_at: string | null;
  readonly ended_at: string | null;
};

/** A step with its turn, its number, and when it was. */
export function numberStep(
  step: Step,
  { turn, undone }: Pick<TurnSteps, 'turn' | 'undone'>,
  number: number,
  time: StepTime | null = null,
): TrajectoryStep {
  const { type, ...rest } = step;
  const times = {
    started_at: time === null ? null : isoTime(time.startedMs),
    ended_at: time === null ? null : isoTime(time.endedMs),
  };
  // The type first and the times last, as every reader of the JSON would write them.
  return { type, turn, step: number, ...rest, undone, ...times } as TrajectoryStep;
}

/** The steps of a session's turns in one list, numbered, with their times as far as `times` (by turn) has them. */
export function trajectoryOf(
  turns: readonly TurnSteps[],
  times: ReadonlyMap<number, readonly (StepTime | null)[]> = new Map(),
): TrajectoryStep[] {
  let number = 0;
  return turns.flatMap((turn) =>
    turn.steps.map((step, i) => {
      number += 1;
      return numberStep(step, turn, number, times.get(turn.turn)?.[i] ?? null);
    }),
  );
}

/** Tells when a step was done; each is asked for once, in their order. */
export type StepClock = (step: Step) => StepTime | null;

/** The times of steps: those of the items with the same keys, in order, each item once; null for a step without one. */
export function createStepClock(
  items: readonly TimedItem[],
  keyOf: (step: Step) => string | null,
): StepClock {
  const waiting = new Map<string | null, TimedItem[]>();
  for (const item of items) {
    const same = waiting.get(item.key) ?? [];
    waiting.set(item.key, same);
    same.push(item);
  }
  return (step) => waiting.get(keyOf(step))?.shift() ?? null;
}
