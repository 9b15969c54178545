import type { SessionId } from './ids.ts';
import type { SessionError } from './session.ts';
import { isFinal, type TurnStatus } from './status.ts';

/** What can happen to a turn, in the order in which it does; and `damaged`, of which nobody knows when it happened. */
export const SESSION_EVENTS = [
  'queued',
  'started',
  'completed',
  'failed',
  'killed',
  'lost',
  'damaged',
] as const;
export type SessionEventName = (typeof SESSION_EVENTS)[number];

/** What happened, and when; null where no record tells that. */
export interface Happened {
  readonly event: SessionEventName;
  readonly at: string | null;
}

/** One line of `events`: the JSON contract of `docs/formats.md`. */
export interface SessionEvent extends Happened {
  /** `<id>.<turn>.<event>`: the same however often it is told. */
  readonly key: string;
  readonly id: SessionId;
  readonly name: string | null;
  readonly project: string;
  /** Null where the records of the session cannot be read. */
  readonly turn: number | null;
  readonly kind: string | null;
  readonly by: string | null;
  readonly agent: string | null;
  readonly title: string | null;
  /** Why the turn failed, was stopped or is lost. */
  readonly error: SessionError | null;
}

/** What the records of a turn say of its life. */
interface Life {
  /** When it was put into the queue; null where it was not. */
  readonly queuedAt: string | null;
  readonly hasStarted: boolean;
  readonly startedAt: string | null;
  readonly status: TurnStatus;
  readonly endedAt: string | null;
}

/** What has happened to a turn by now. */
export function happenedTo({ queuedAt, hasStarted, startedAt, status, endedAt }: Life): readonly Happened[] {
  return [
    ...(queuedAt === null ? [] : [{ event: 'queued', at: queuedAt } as const]),
    ...(hasStarted ? [{ event: 'started', at: startedAt } as const] : []),
    ...(isFinal(status) ? [{ event: status as SessionEventName, at: endedAt }] : []),
  ];
}

/** Sorts by time, then by session; what is of one time keeps the order of its life, and without a time it comes last. */
export function inTime(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const place = ({ at }: SessionEvent): string => at ?? '~';
  return events.toSorted((a, b) =>
    place(a) === place(b) ? (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) : place(a) < place(b) ? -1 : 1,
  );
}
