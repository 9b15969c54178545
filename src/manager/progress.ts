import { createFolder } from '../core/conversation/fold.ts';
import type { Step } from '../core/conversation/steps.ts';
import type { SessionId } from '../core/ids.ts';
import type { SessionStatus } from '../core/session.ts';
import { parseIso } from '../core/time.ts';
import { type PortionSizes, readBackwards } from '../store/backwards.ts';
import type { Store } from './context.ts';
import { readOutcome } from './glance.ts';
import { orDamaged, readWhole } from './read.ts';
import { addLines, type TurnStream } from './stream.ts';
import { startedMs, stateOf } from './view.ts';

/** How a session comes along. */
export interface SessionProgress {
  readonly status: SessionStatus;
  /** When the turn that speaks for it was begun, or at least asked for (ms since the epoch), or null. */
  readonly sinceMs: number | null;
  /** What its agent was at last in that turn, or null. */
  readonly lastStep: Step | null;
}

/**
 * The step that stands last in a stream, or null: one that was begun before what is read of the end counts as begun where
 * it is told of next. @throws DamagedRecord
 */
export function readLastStep(stream: TurnStream, sizes?: PortionSizes): Step | null {
  for (const { lines } of readBackwards(stream.path, stream.range, null, sizes)) {
    const folder = createFolder();
    addLines(folder, lines, stream.parse);
    const step = folder.result(stream.range.ended).steps.at(-1);
    if (step !== undefined) return step;
  }
  return null;
}

/**
 * How a session comes along, from the ends of its streams: somebody asks each second, however much was printed.
 * @throws ZwarmError `not_found`, `damaged`
 */
export async function readProgress(store: Store, id: SessionId, nowMs: number): Promise<SessionProgress> {
  return orDamaged(store, id, async () => {
    const reading = await readWhole(store, id, nowMs, (stream) => ({
      ...readOutcome(stream),
      lastStep: () => readLastStep(stream),
    }));
    const { status, turn } = stateOf(reading, store, nowMs);
    const current = reading.turns.find((one) => one.turn === turn);
    if (current === undefined) return { status, sinceMs: null, lastStep: null };
    const sinceMs = startedMs(current) ?? parseIso(current.request.at);
    return { status, sinceMs, lastStep: current.fold.lastStep() };
  });
}
