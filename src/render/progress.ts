import { type Step, stepLine } from '../core/conversation/steps.ts';
import type { SessionStatus } from '../core/session.ts';
import { longSpan, paintStatus, type Style } from './style.ts';
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
  const words = `${progress.id} ${progress.status} ${longSpan(progress.elapsedMs)}`;
  const room = style.width - words.length - 4;
  const coloured = `${progress.id} ${paintStatus(progress.status, style)} ${longSpan(progress.elapsedMs)}`;
  if (room < 8 || progress.lastStep === null) return coloured;
  const step = lineOf(stepLine(progress.lastStep), room);
  return step === '' ? coloured : `${coloured}  ${style.paint.dim(step)}`;
}
