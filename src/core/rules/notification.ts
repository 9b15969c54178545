import type { TurnStatus } from '../status.ts';

/** What a user can be told of. */
export const NOTIFIED_EVENTS = [
  'finished',
  'failed',
  'lost',
  'needs_attention',
  'queue_empty',
  'held',
  'resumed',
] as const;
export type NotifiedEvent = (typeof NOTIFIED_EVENTS)[number];

/** How and when the user wants to be told. */
export interface Notify {
  /** A program with its arguments, or what the desktop has for that. */
  readonly to: 'desktop' | readonly string[];
  readonly events: readonly NotifiedEvent[];
  /** As in `22:00-07:00`; null for none. */
  readonly quietHours: string | null;
}

/** Hours of the local day, as in `22:00-07:00`. */
export const QUIET_HOURS = /^([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])$/;

/** Whether a time of the local day (minutes since midnight) lies in the quiet hours; those may span midnight. */
export function isQuiet(hours: string | null, minutes: number): boolean {
  const [, h1, m1, h2, m2] = (QUIET_HOURS.exec(hours ?? '') ?? []).map(Number);
  if (h1 === undefined || m1 === undefined || h2 === undefined || m2 === undefined) return false;
  const [from, to] = [h1 * 60 + m1, h2 * 60 + m2];
  return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
}

/** How a turn ended, and how its session stands now. */
interface TurnEnd {
  readonly status: TurnStatus;
  readonly cancel: string | null;
  /** Whether no later turn of its session runs or waits. */
  readonly isAtRest: boolean;
  /** Whether the user has seen the end of the turn. */
  readonly isSeen: boolean;
}

/** What the end of a turn is: nothing where somebody stopped it, who knows that. */
export function eventsOfEnd({ status, cancel, isAtRest, isSeen }: TurnEnd): readonly NotifiedEvent[] {
  const events = {
    completed: 'finished',
    failed: 'failed',
    lost: 'lost',
    // What a limit has stopped did not do what it was asked for.
    killed: cancel === 'limit' ? 'failed' : null,
  } as const;
  const event = status in events ? events[status as keyof typeof events] : null;
  if (event === null) return [];
  return isAtRest && !isSeen ? [event, 'needs_attention'] : [event];
}

/** What a batch has to know of something that is told. */
interface EventFacts {
  readonly event: string;
  readonly id: string;
  readonly name: string | null;
  readonly agent: string | null;
  readonly project: string;
  readonly error: { readonly code: string } | null;
}

/** What it is about, where several at once say the same: an account, or the queue of a project. */
function subjectOf({ event, agent, project }: EventFacts): string | null {
  if (event === 'queue_empty') return `queue_empty ${project}`;
  return event === 'held' || event === 'resumed' ? `${event} ${agent}` : null;
}

/** The same without what is said a second time. */
export function withoutRepetition<T extends EventFacts>(batch: readonly T[]): readonly T[] {
  const subjects = batch.map(subjectOf);
  return batch.filter((_, at) => subjects[at] === null || subjects.indexOf(subjects[at] ?? null) === at);
}

/** So many lines fit a notification of a desktop. */
const MOST_LINES = 5;

function lineOf({ event, id, name, agent, error }: EventFacts): string {
  if (event === 'queue_empty') return 'nothing waits in the queue';
  if (event === 'held' || event === 'resumed') return `${agent ?? 'an agent'} ${event}`;
  const words = event === 'needs_attention' ? 'needs attention' : event;
  return `${name ?? id} ${words}${error === null ? '' : ` (${error.code.replaceAll('_', ' ')})`}`;
}

/** What a desktop shows of a batch. No agent has a word in it: a desktop may take text for markup. */
export function desktopText(batch: readonly EventFacts[]): string {
  const lines = batch.slice(0, MOST_LINES).map(lineOf);
  const more = batch.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
