import { createStepList, type PlacedStep } from '../../core/conversation/step-list.ts';
import type { Step } from '../../core/conversation/steps.ts';
import { stepsInOrder } from '../../core/conversation/steps-in-order.ts';
import { isFinal, type TurnStatus } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { type EndSizes, readFromEnd } from '../../store/read-from-end.ts';
import type { Session } from '../context.ts';
import { ANSWER_BYTES } from '../turn/turn-outcome.ts';
import { eventsOf, launchOf, openStream, type TurnStream } from '../turn/turn-stream.ts';
import { readNow } from './current-turn.ts';
import { orDamaged } from './damage.ts';
import { startedMs } from './session-state.ts';

/** What a session is doing now. */
export interface SessionProgress {
  readonly status: TurnStatus;
  /** When the turn that speaks for it was begun, or at least asked for (ms since the epoch), or null. */
  readonly sinceMs: number | null;
  readonly lastStep: Step | null;
}

/** The last step of a stream, or null; only its end is read. @throws DamagedRecord */
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

/** What a session is doing now, from the end of its current stream. @throws ZwarmError `not_found`, `damaged` */
export async function readProgress(session: Session, nowMs: number): Promise<SessionProgress> {
  const { current, adapter } = await readNow(session, nowMs);
  const { request, runner, exit, verdict } = current;
  return orDamaged(session, async () => {
    const launch = launchOf(current);
    const range = { limit: exit?.record.events_bytes ?? null, ended: isFinal(verdict.status) };
    const stream = await openStream(current, range, adapter, launch);
    const sinceMs = startedMs({ runner, launch }) ?? parseIso(request.at);
    return { status: verdict.status, sinceMs, lastStep: readLastStep(stream) };
  });
}
