import type { SessionEvent, SessionEventName } from '../core/session-event.ts';
import type { SessionStatus } from '../core/status.ts';
import { parseIso } from '../core/time.ts';
import { failureWords } from './failure-words.ts';
import { paintStatus, type Style } from './style.ts';
import { safeLine } from './text/safe-text.ts';
import { localTime } from './text/units.ts';
import { cutToWidth } from './text/width.ts';

/** The status by whose colour an event is shown. */
const statusOf = (event: SessionEventName): SessionStatus =>
  event === 'queued' ? 'pending' : event === 'started' ? 'running' : event;

const EVENT = 9;
/** On a narrower terminal the day is left out: else there would be room for nothing but the id. */
const ROOM_FOR_DAY = 60;

/** How an event is told to a person: on a line that fits the terminal. */
export function eventLine(style: Style, withProject: boolean): (event: SessionEvent) => string {
  const hasDay = style.width >= ROOM_FOR_DAY;
  const unknown = hasDay ? 'time not known  ' : '  ?  ';
  const timeOf = (ms: number): string => (hasDay ? localTime(ms) : localTime(ms).slice(11));
  return ({ event, at, id, name, turn, title, error, project }) => {
    const ms = parseIso(at);
    const ended = { error, exit_code: null, signal: null, ended_at: at };
    const words = [
      name ?? '',
      withProject ? project.slice(project.lastIndexOf('/') + 1) : '',
      turn === null || turn === 1 ? '' : `turn ${turn}`,
      failureWords(ended) ?? '',
      title ?? '',
    ];
    const when = ms === null ? unknown : timeOf(ms);
    const rest = `${id}  ${words.map(safeLine).filter(Boolean).join(' · ')}`.trimEnd();
    const room = style.width - when.length - EVENT - 4;
    const what = paintStatus(statusOf(event), style, event.padEnd(EVENT));
    return `${style.paint.dim(when)}  ${what}  ${cutToWidth(rest, room)}\n`;
  };
}
