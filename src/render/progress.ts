import { type Step, stepLine } from '../core/conversation/steps.ts';
import type { SessionStatus } from '../core/session.ts';
import { paintStatus, type Style } from './style.ts';
import { longSpan } from './units.ts';
import { lineOf } from './width.ts';

/** What the live line shows of a session. */
export interface Progress {
  readonly id: string;
  readonly status: SessionStatus;
  readonly elapsedMs: number;
  readonly lastStep: Step | null;
}

/** One line that fits the terminal: status, elapsed time, and what the agent did last. */
export function renderProgress(progress: Progress, style: Style): string {
  const { id, status, lastStep } = progress;
  const elapsed = longSpan(progress.elapsedMs);
  const room = style.width - `${id} ${status} ${elapsed}`.length - 4;
  const coloured = `${id} ${paintStatus(status, style)} ${elapsed}`;
  const step = room < 8 || lastStep === null ? '' : lineOf(stepLine(lastStep), room);
  return step === '' ? coloured : `${coloured}  ${style.paint.dim(step)}`;
}
