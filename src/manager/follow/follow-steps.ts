import { createStepList } from '../../core/conversation/step-list.ts';
import { stepsInOrder } from '../../core/conversation/steps-in-order.ts';
import { numberStep, type TrajectoryStep } from '../../core/conversation/trajectory.ts';
import { followLines } from '../../store/read-forward.ts';
import { eventsOf, openStream } from '../turn/turn-stream.ts';
import {
  CAUGHT_UP,
  everything,
  type Followed,
  type FollowOptions,
  followTurns,
  type OpenSource,
} from './follow-turns.ts';

/** Which steps, and whether to go on as they come. */
export interface FollowStepsOptions extends FollowOptions {
  /** Of the steps that are there, only so many of the last. */
  readonly last?: number | undefined;
}

type Steps = AsyncIterable<TrajectoryStep | typeof CAUGHT_UP>;

async function* onlyTurn(steps: Steps, turn: number): AsyncGenerator<TrajectoryStep | typeof CAUGHT_UP> {
  for await (const step of steps) if (step === CAUGHT_UP || step.turn === turn) yield step;
}

/** Of what is there only the last `count` steps, each as it stands by now; then all that comes. */
async function* lastSteps(steps: Steps, count: number): AsyncGenerator<TrajectoryStep> {
  const recent = new Map<number, TrajectoryStep>();
  let newest = 0;
  let caughtUp = false;
  const kept = (): TrajectoryStep[] => [...recent.values()].sort((a, b) => a.step - b.step);
  for await (const step of steps) {
    if (step === CAUGHT_UP) {
      if (!caughtUp) yield* kept();
      caughtUp = true;
    } else if (caughtUp) yield step;
    else {
      for (; newest < step.step; newest += 1) recent.delete(newest + 1 - count);
      if (step.step > newest - count) recent.set(step.step, step);
    }
  }
  if (!caughtUp) yield* kept();
}

/**
 * The steps of a session as they come, numbered as in its trajectory. A step that changes later comes again, with the
 * same numbers. @throws ZwarmError as `followTurns` does
 */
export function followSteps(
  followed: Followed,
  { last, ...options }: FollowStepsOptions,
): AsyncIterable<TrajectoryStep> {
  let before = 0;
  let list = createStepList();
  const open: OpenSource<TrajectoryStep> = async (turn, adapter) => {
    before += list.length();
    list = createStepList();
    const first = before + 1;
    const { path, parse } = await openStream(turn, { limit: null, ended: false }, adapter);
    const lines = followLines(path);
    return {
      *read(range) {
        const events = eventsOf(lines.read(range), parse);
        for (const { index, step } of stepsInOrder(list, events, range.ended)) {
          yield numberStep(step, turn.turn, first + index);
        }
      },
    };
  };
  // The numbers go through all turns: those before the one that is asked for are read for their count.
  const all = followTurns(followed, 1, options, open);
  const steps = options.turn === undefined ? all : onlyTurn(all, options.turn);
  return last === undefined ? everything(steps) : lastSteps(steps, last);
}
