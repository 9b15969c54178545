import { isActive, isFinal } from '../../core/status.ts';
import type { SessionRecord } from '../../store/records.ts';
import { readExit, readSnapshot } from '../../store/sessions.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import type { Place } from './place.ts';
import { isMade, type Span } from './spans.ts';
import { takeFiles } from './take-snapshot.ts';
import { recordAfter } from './turn-snapshots.ts';
import { whileItSettles } from './while-it-settles.ts';

/** The files around one turn. */
export interface TurnSpan extends Span {
  readonly turn: number;
  /** Whether the turn still runs: the files after it are those of now. */
  readonly isRunning: boolean;
  /** How long after the turn had ended they were looked at, in milliseconds; null where that is not known. */
  readonly lateMs: number | null;
}

/** A turn of which it is not known what it changed, and why. */
export interface UnknownTurn {
  readonly turn: number;
  readonly why: string;
}

/** The files as they are now, as if a turn had ended. @throws ZwarmError */
async function now(context: ManagerContext, session: Session, place: Place): Promise<Span['to']> {
  const { tree, leftOut } = await (await takeFiles(context, session, place)).finish();
  return { tree, left_out: leftOut };
}

function lateness(turn: Turn, at: string): number | null {
  const ended = readExit(turn)?.endedMs;
  return ended === undefined ? null : Math.max(0, Date.parse(at) - ended);
}

/** The files around a turn, as far as they are known by now, or why they are not; null of one that changes nothing. */
async function spanOf(
  context: ManagerContext,
  turn: TurnReading,
  place: Place,
): Promise<TurnSpan | UnknownTurn | null> {
  const { turn: number, verdict, runner } = turn;
  const from = readSnapshot(turn, 'before');
  // It has not begun, or never will.
  if (from === null && runner === null) return null;
  if (from === null) return { turn: number, why: 'the files before it were not recorded' };
  if (!isMade(from)) return { turn: number, why: from.why ?? 'the files before it are not known' };
  if (isActive(verdict.status))
    return { turn: number, from, to: await now(context, turn, place), isRunning: true, lateMs: null };
  if (!isFinal(verdict.status))
    return { turn: number, why: 'whether it still runs cannot be determined here' };
  await whileItSettles(turn);
  await recordAfter(context, turn);
  const to = readSnapshot(turn, 'after');
  if (isMade(to)) return { turn: number, from, to, isRunning: false, lateMs: lateness(turn, to.at) };
  return { turn: number, why: to?.why ?? 'the files after it could not be recorded' };
}

/** What is known of the files around turns of a session. */
export interface KnownSpans {
  readonly spans: readonly TurnSpan[];
  readonly unknown: readonly UnknownTurn[];
}

/** The files around some turns that zwarm ran here and that can write; looked at now where nobody has done so. */
export async function knownSpans(
  context: ManagerContext,
  record: Pick<SessionRecord, 'sandbox'>,
  turns: readonly TurnReading[],
  place: Place,
): Promise<KnownSpans> {
  const spans: TurnSpan[] = [];
  const unknown: UnknownTurn[] = [];
  if (record.sandbox === 'read-only') return { spans, unknown };
  for (const turn of turns) {
    if (turn.adapter?.confinement === null || turn.request.adopted !== null) continue;
    const found = await spanOf(context, turn, place);
    if (found === null) continue;
    if ('why' in found) unknown.push(found);
    else spans.push(found);
  }
  return { spans, unknown };
}
