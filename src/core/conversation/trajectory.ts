import type { TurnSteps } from '../session.ts';
import type { Step } from './steps.ts';

/** A step of a session at its place in the whole: the JSON contract of `docs/formats.md`. */
export type TrajectoryStep = Step & {
  readonly turn: number;
  /** Its number, counted from 1 through all turns. With `turn` it names the step, also while that changes. */
  readonly step: number;
  /** When it began and ended, or null where nobody tells. */
  readonly started_at: string | null;
  readonly ended_at: string | null;
};

/** A step with its turn and its number. */
export function numberStep(step: Step, turn: number, number: number): TrajectoryStep {
  const { type, ...rest } = step;
  // The type first and the times last, as every reader of the JSON would write them.
  return { type, turn, step: number, ...rest, started_at: null, ended_at: null } as TrajectoryStep;
}

/** The steps of a session's turns in one list, numbered. */
export function trajectoryOf(turns: readonly TurnSteps[]): TrajectoryStep[] {
  let number = 0;
  return turns.flatMap(({ turn, steps }) =>
    steps.map((step) => {
      number += 1;
      return numberStep(step, turn, number);
    }),
  );
}
