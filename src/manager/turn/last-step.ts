import { createStepList, type PlacedStep } from '../../core/conversation/step-list.ts';
import type { Step } from '../../core/conversation/steps.ts';
import { stepsInOrder } from '../../core/conversation/steps-in-order.ts';
import { type EndSizes, readFromEnd } from '../../store/read-from-end.ts';
import { ANSWER_BYTES } from './turn-outcome.ts';
import { eventsOf, type TurnStream } from './turn-stream.ts';

/** The last step of a stream, or null; only its end is read. @throws DamagedRecord */
export function readLastStep({ path, range, newParser }: TurnStream, sizes?: EndSizes): Step | null {
  for (const { lines, behind } of readFromEnd(path, range, sizes)) {
    if (behind >= ANSWER_BYTES) break;
    let last: PlacedStep | null = null;
    for (const placed of stepsInOrder(createStepList(), eventsOf(lines, newParser()), range.ended)) {
      if (last === null || placed.index >= last.index) last = placed;
    }
    if (last !== null) return last.step;
  }
  return null;
}
