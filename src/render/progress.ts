import type { SessionSummary } from '../core/session.ts';
import { parseIso } from '../core/time.ts';
import { stepWithoutMarks } from './markdown/without-marks.ts';
import { paintStatus, type Style } from './style.ts';
import { longSpan } from './text/units.ts';
import { lineOf } from './text/width.ts';

type Progress = Pick<
  SessionSummary,
  'id' | 'name' | 'status' | 'turn_started_at' | 'current_step' | 'pending'
>;

const LONGEST_NAME = 16;
const SHORTEST_STEP = 8;

/**
 * One line that fits the terminal: which session, its status, elapsed time, what the agent is doing or what it waits for,
 * and how many `others` are waited for.
 */
export function renderProgress(
  { id, name, status, turn_started_at, current_step, pending }: Progress,
  others: number,
  style: Style,
): string {
  const who = name === null ? id : lineOf(name, LONGEST_NAME);
  const elapsed = longSpan(style.nowMs - (parseIso(turn_started_at) ?? style.nowMs));
  const more = others === 0 ? '' : `  · ${others} more`;
  // Behind a full line some terminals have begun the next one.
  const width = style.width - 1;
  const heads =
    turn_started_at === null ? [[who, status], [who]] : [[who, status, elapsed], [who, elapsed], [who]];
  const head = heads.find((words) => words.join(' ').length + more.length <= width);
  if (head === undefined) return lineOf(`${who}${more}`, width);
  const room = width - head.join(' ').length - more.length - 2;
  const doing = stepWithoutMarks(current_step) ?? pending?.detail ?? null;
  const step = room < SHORTEST_STEP || doing === null ? '' : lineOf(doing, room);
  const painted = head.map((word) => (word === status ? paintStatus(status, style) : word)).join(' ');
  return painted + style.paint.dim(`${step && '  '}${step}${more}`);
}
