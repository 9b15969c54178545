import type { ZwarmError } from '../../core/errors.ts';
import { type SessionSummary, titleOf } from '../../core/session.ts';
import { happenedTo, inTime, type SessionEvent, type SessionEventName } from '../../core/session-event.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime, parseIso } from '../../core/time.ts';
import { copiedTurns, recordOfTurn } from '../../store/records.ts';
import { readCancel } from '../../store/sessions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { followList } from '../follow/follow-list.ts';
import { orDamaged, unlessGone } from '../session/damage.ts';
import { explain, type SessionReading, startedMs } from '../session/session-state.ts';
import { readSessionFromStreams } from '../session/session-summary.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { storesOf } from './ls.ts';

/** Which events are told. */
export interface EventsOptions {
  /** Only what happened at or after this time (ms since the epoch), within the minute before it, or at an unknown time. */
  readonly sinceMs?: number | undefined;
  /** Of the sessions of all projects. */
  readonly everywhere?: boolean | undefined;
  /** Goes on until `signal` aborts. */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was found at one look, and why some stores could not be looked at. */
export interface EventsBatch {
  readonly events: readonly SessionEvent[];
  readonly refused: readonly ZwarmError[];
}

/** A record appears a moment after the time that it tells: whoever asks from the last time that they know gets that, too. */
const LATE_MS = 60_000;

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** When a turn ended. One that was stopped before it began has no other end than the request to stop it. */
function endedAt(turn: TurnReading): string | null {
  const { exit, runner, cancel, request } = turn;
  if (exit !== null) return isoTime(exit.endedMs);
  const isNeverRun = runner === null && cancel !== null && request.adopted === null;
  return isNeverRun ? (readCancel(turn)?.at ?? null) : null;
}

function* eventsOf({ record, ...reading }: SessionReading): Generator<SessionEvent> {
  const { store, id, turns } = reading;
  const name = store.names.get(id) ?? null;
  const title = titleOf(record.task);
  for (const turn of turns) {
    const { request, isMarker, runner, verdict } = turn;
    // What a fork has copied happened in another session.
    if (turn.turn <= copiedTurns(record) || isMarker) continue;
    const life = {
      queuedAt: request.queued ? request.at : null,
      hasStarted: runner !== null || request.adopted !== null,
      startedAt: isoOrNull(startedMs(turn)),
      status: verdict.status,
      endedAt: endedAt(turn),
    };
    const { agent } = recordOfTurn(record, request);
    const of = { id, name, project: store.projectRoot, turn: turn.turn, kind: request.kind, by: request.by };
    for (const { event, at } of happenedTo(life)) {
      const error = event === verdict.status ? explain({ record }, turn) : null;
      yield { key: `${id}.${turn.turn}.${event}`, event, at, ...of, agent, title, error };
    }
  }
}

/** The one event of a session whose records cannot be read. */
function damageOf({ id, name, project, error }: SessionSummary): SessionEvent {
  const event: SessionEventName = 'damaged';
  const unknown = { at: null, turn: null, kind: null, by: null, agent: null, title: null };
  return { key: `${id}.0.${event}`, event, id, name, project, ...unknown, error };
}

/** Whether all that happened to a session is as old, as its row tells. */
const isBefore = ({ status, ended_at, updated_at }: SessionSummary, ms: number): boolean =>
  isFinal(status) && ended_at !== null && (parseIso(updated_at) ?? ms) < ms;

/** All of a row that changes when something happens to its session. */
const versionOf = ({ status, turn, queued, updated_at, ended_at, turn_started_at }: SessionSummary): string =>
  [status, turn, queued, updated_at, ended_at, turn_started_at].join(' ');

/**
 * What happened to the sessions, in the order of time: first all of it, then, with `follow`, each time that something has.
 * Each event is told once. @throws ZwarmError
 */
export async function* events(context: ManagerContext, options: EventsOptions): AsyncGenerator<EventsBatch> {
  const { sinceMs = 0, follow = false, signal = new AbortController().signal } = options;
  const fromMs = sinceMs - LATE_MS;
  const versions = new Map<string, string>();
  const told = new Set<string>();
  const eventsNow = async (session: Session, row: SessionSummary): Promise<readonly SessionEvent[]> => {
    if (row.status === 'damaged') return [damageOf(row)];
    const reading = await unlessGone(
      orDamaged(session, () => readSessionFromStreams(session, context.now())),
    );
    return reading === null ? [] : [...eventsOf(reading)];
  };
  const selection = () => {
    const seen: { readonly session: Session; readonly row: SessionSummary }[] = [];
    const chosen = async () => {
      const found: SessionEvent[] = [];
      for (const { session, row } of seen) {
        const place = `${session.store.root} ${session.id}`;
        const version = versionOf(row);
        if (isBefore(row, fromMs) || versions.get(place) === version) continue;
        versions.set(place, version);
        for (const event of await eventsNow(session, row)) {
          const key = `${place} ${event.key}`;
          if ((parseIso(event.at) ?? fromMs) < fromMs || told.has(key)) continue;
          told.add(key);
          found.push(event);
        }
      }
      const updated = (row: SessionSummary): string => row.updated_at ?? '';
      const rows = seen.map(({ row }) => row).toSorted((a, b) => (updated(a) < updated(b) ? 1 : -1));
      return { rows, events: inTime(found) };
    };
    return { note: (session: Session, row: SessionSummary) => void seen.push({ session, row }), chosen };
  };
  const wanted = { stores: () => storesOf(context, options), selection };
  for await (const { events: found, refused } of followList(context, wanted, signal)) {
    yield { events: found, refused };
    if (!follow) return;
  }
}
