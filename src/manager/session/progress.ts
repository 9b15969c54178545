import { createStepList, type PlacedStep } from '../../core/conversation/step-list.ts';
import type { Step } from '../../core/conversation/steps.ts';
import { stepsInOrder } from '../../core/conversation/steps-in-order.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal, type TurnStatus } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { turnFile } from '../../store/layout.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { type EndSizes, readFromEnd } from '../../store/read-from-end.ts';
import { readLaunch } from '../../store/sessions.ts';
import type { Store } from '../context.ts';
import { ANSWER_BYTES } from '../turn/turn-outcome.ts';
import { eventsOf, openStream, type TurnStream } from '../turn/turn-stream.ts';
import { orDamaged, readNow } from './current-turn.ts';
import { startedMs } from './session-state.ts';

/** How a session comes along. */
export interface SessionProgress {
  readonly status: TurnStatus;
  /** When the turn that speaks for it was begun, or at least asked for (ms since the epoch), or null. */
  readonly sinceMs: number | null;
  /** What its agent was at last in that turn, or null. */
  readonly lastStep: Step | null;
}

/**
 * The step that stands last in a stream, or null: one that was begun before what is read of the end counts as begun where
 * it is told of next. @throws DamagedRecord
 */
export function readLastStep({ path, range, parse }: TurnStream, sizes?: EndSizes): Step | null {
  for (const { lines, behind } of readFromEnd(path, range, sizes)) {
    if (behind >= ANSWER_BYTES) break;
    let last: PlacedStep | null = null;
    for (const placed of stepsInOrder(createStepList(), eventsOf(lines, parse), range.ended)) {
      if (last === null || placed.index >= last.index) last = placed;
    }
    if (last !== null) return last.step;
  }
  return null;
}

/**
 * How a session comes along, from the end of the one stream that tells it: somebody asks each second, however long the
 * conversation and whatever was printed. @throws ZwarmError `not_found`, `damaged`
 */
export async function readProgress(store: Store, id: SessionId, nowMs: number): Promise<SessionProgress> {
  const { current, adapter } = await readNow(store, id, nowMs);
  const { turn, request, runner, exit, verdict } = current;
  return orDamaged(store, id, async () => {
    const launch = unlessDamaged(() => readLaunch(store.root, id, turn));
    const range = { limit: exit?.eventsBytes ?? null, ended: isFinal(verdict.status) };
    const stream = await openStream(turnFile(store.root, id, turn, 'events'), range, adapter, launch);
    const sinceMs = startedMs({ runner, launch }) ?? parseIso(request.at);
    return { status: verdict.status, sinceMs, lastStep: readLastStep(stream) };
  });
}
