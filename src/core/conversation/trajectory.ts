import type { TurnSteps } from '../session.ts';
import { isoTime } from '../time.ts';
import type { StepTime } from './step-times.ts';
import type { Step } from './steps.ts';

/** A step with its number in the session: the JSON contract of `docs/formats.md`. */
export type TrajectoryStep = Step & {
  readonly turn: number;
  /** Its number, counted from 1 through all turns. With `turn` it names the step, also while that changes. */
  readonly step: number;
  /** When it began and ended, or null where that is not known. */
  readonly started_at: string | null;
  readonly ended_at: string | null;
};

/** A step with its turn, its number, and when it was. */
export function numberStep(
  step: Step,
  turn: number,
  number: number,
  time: StepTime | null = null,
): TrajectoryStep {
  const { type, ...rest } = step;
  const started = time === null ? null : isoTime(time.startedMs);
  const ended = time === null ? null : isoTime(time.endedMs);
  // The type first and the times last, as every reader of the JSON would write them.
  return { type, turn, step: number, ...rest, started_at: started, ended_at: ended } as TrajectoryStep;
}

/** The steps of a session's turns in one list, numbered, with their times as far as `times` (by turn) has them. */
export function trajectoryOf(
  turns: readonly TurnSteps[],
  times: ReadonlyMap<number, readonly (StepTime | null)[]> = new Map(),
): TrajectoryStep[] {
  let number = 0;
  return turns.flatMap(({ turn, steps }) =>
    steps.map((step, i) => {
      number += 1;
      return numberStep(step, turn, number, times.get(turn)?.[i] ?? null);
    }),
  );
}
