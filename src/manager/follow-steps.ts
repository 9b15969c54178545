import { createStepList, type PlacedStep, type StepList } from '../core/conversation/step-list.ts';
import { numberStep, type TrajectoryStep } from '../core/conversation/trajectory.ts';
import type { Line, LineParser } from '../core/events.ts';
import { type Follower, followLines } from '../store/follow.ts';
import { turnFile } from '../store/layout.ts';
import {
  CAUGHT_UP,
  everything,
  type Followed,
  type FollowOptions,
  followTurns,
  type OpenSource,
  type Source,
} from './follow.ts';
import { parserOfTurn } from './read-turn.ts';

/** Which steps, and whether to go on as they come. */
export interface FollowStepsOptions extends FollowOptions {
  /** Of the steps that are there, only so many of the last. */
  readonly last?: number | undefined;
}

type Steps = AsyncIterable<TrajectoryStep | typeof CAUGHT_UP>;

/** Steps that wait for one before them to end; more than these are not held in memory. */
const HELD_AT_MOST = 100;

function inOrder(steps: ReadonlyMap<number, PlacedStep>): PlacedStep[] {
  return [...steps.values()].sort((a, b) => a.index - b.index);
}

/** Takes out the steps that can be told before more is read: the newest may yet change, and so may what is open. */
function takeDue(untold: Map<number, PlacedStep>, newest: number): PlacedStep[] {
  const due: PlacedStep[] = [];
  for (const change of inOrder(untold)) {
    if (change.index >= newest || (change.open && untold.size <= HELD_AT_MOST)) break;
    untold.delete(change.index);
    due.push(change);
  }
  return due;
}

/** The steps of one turn as its lines come: once each and in order what is there, the rest when it changes. */
function stepSource(
  lines: Follower<Line>,
  parse: LineParser,
  list: StepList,
  number: (change: PlacedStep) => TrajectoryStep,
): Source<TrajectoryStep> {
  return {
    *read(range) {
      const untold = new Map<number, PlacedStep>();
      for (const line of lines.read(range)) {
        for (const event of parse(line)) {
          const change = list.add(event);
          if (change === null) continue;
          untold.set(change.index, change);
          yield* takeDue(untold, list.length() - 1).map(number);
        }
      }
      if (range.ended) for (const change of list.interrupted()) untold.set(change.index, change);
      // A retry that has helped is no step any more.
      yield* inOrder(untold)
        .filter(({ index }) => index < list.length())
        .map(number);
    },
  };
}

async function* onlyTurn(steps: Steps, turn: number): AsyncGenerator<TrajectoryStep | typeof CAUGHT_UP> {
  for await (const step of steps) if (step === CAUGHT_UP || step.turn === turn) yield step;
}

/** Of what is there only the last `count` steps, each as it stands by now; then all that comes. */
async function* lastSteps(steps: Steps, count: number): AsyncGenerator<TrajectoryStep> {
  const recent = new Map<number, TrajectoryStep>();
  let newest = 0;
  let caughtUp = false;
  const told = (): TrajectoryStep[] => [...recent.values()].sort((a, b) => a.step - b.step);
  for await (const step of steps) {
    if (step === CAUGHT_UP) {
      if (!caughtUp) yield* told();
      caughtUp = true;
    } else if (caughtUp) yield step;
    else {
      for (; newest < step.step; newest += 1) recent.delete(newest + 1 - count);
      if (step.step > newest - count) recent.set(step.step, step);
    }
  }
  if (!caughtUp) yield* told();
}

/**
 * The steps of a session as they come, numbered as in its trajectory. A step that changes later is told again, with the
 * same numbers. @throws ZwarmError as `followTurns` does
 */
export function followSteps(
  followed: Followed,
  { last, ...options }: FollowStepsOptions,
): AsyncIterable<TrajectoryStep> {
  const { store, id } = followed;
  let before = 0;
  let list = createStepList();
  const open: OpenSource<TrajectoryStep> = async (turn, adapter) => {
    before += list.length();
    list = createStepList();
    const first = before + 1;
    const lines = followLines(turnFile(store.root, id, turn, 'events'));
    const parse: LineParser = adapter === null ? () => [] : await parserOfTurn(store, id, turn, adapter);
    return stepSource(lines, parse, list, ({ index, step }) => numberStep(step, turn, first + index));
  };
  // The numbers go through all turns: those before the one that is asked for are read for their count.
  const all = followTurns(followed, 1, options, open);
  const steps = options.turn === undefined ? all : onlyTurn(all, options.turn);
  return last === undefined ? everything(steps) : lastSteps(steps, last);
}
