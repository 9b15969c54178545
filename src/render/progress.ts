import { type Step, stepLine } from '../core/conversation/steps.ts';
import type { SessionStatus } from '../core/session.ts';
import { paintStatus, type Style } from './style.ts';
import { longSpan } from './units.ts';
import { lineOf } from './width.ts';

interface Progress {
  readonly status: SessionStatus;
  /** When its turn began, in milliseconds since the epoch. */
  readonly sinceMs: number | null;
  readonly lastStep: Step | null;
}

/** One line that fits the terminal: status, elapsed time, and what the agent did last. */
export function renderProgress(id: string, { status, sinceMs, lastStep }: Progress, style: Style): string {
  const elapsed = longSpan(sinceMs === null ? 0 : style.nowMs - sinceMs);
  const room = style.width - `${id} ${status} ${elapsed}`.length - 4;
  const coloured = `${id} ${paintStatus(status, style)} ${elapsed}`;
  const step = room < 8 || lastStep === null ? '' : lineOf(stepLine(lastStep), room);
  return step === '' ? coloured : `${coloured}  ${style.paint.dim(step)}`;
}
