import { undoneOf } from '../../core/conversation/undone.ts';
import { endsSearch, type Speaking, speakingTurn } from '../../core/rules/speaking-turn.ts';
import { isMarkerKind } from '../../core/turn-kinds.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { copiedTurns, type SessionRecord } from '../../store/records.ts';
import { isTombstone, listTurns, readRequest, readSessionRecord } from '../../store/sessions.ts';
import type { Session, Turn } from '../context.ts';
import { readTurnState, type TurnState } from '../turn/turn-state.ts';
import { launchOf } from '../turn/turn-stream.ts';
import { orDamaged, removedError } from './damage.ts';

/** A session as the verbs that decide see it: its record, and the turn that speaks for it. */
export interface SessionNow extends Session, Speaking<TurnState> {
  readonly record: SessionRecord;
  /** The numbers of its turns, ascending; never empty. */
  readonly turns: readonly number[];
}

/** The turn that speaks for a session, and those that wait behind it; none of one that is ready. */
export const openTurns = ({
  current,
  behind,
}: Pick<SessionNow, 'current' | 'behind'>): readonly TurnState[] =>
  current === null ? [] : [current, ...behind];

/** The turns of a session. @throws ZwarmError `not_found` when it is being removed; DamagedRecord */
export function turnsOf(session: Session): readonly number[] {
  const turns = listTurns(session);
  const last = turns.at(-1);
  if (last === undefined) throw new DamagedRecord('it has no turns');
  if (isTombstone({ ...session, turn: last })) throw removedError(session.id);
  return turns;
}

/** Refuses turns that are all markers: what they mark is missing. @throws DamagedRecord */
export function requireTurns(turns: readonly Pick<TurnState, 'request' | 'isMarker'>[]): void {
  if (turns.every(({ request, isMarker }) => isMarker && isMarkerKind(request.kind)))
    throw new DamagedRecord('it has no turns');
}

/** Which of the newest turns of a session, ascending, were rewound. @throws DamagedRecord */
export function undoneIn(session: Session, newest: readonly number[]): ReadonlySet<number> {
  return undoneOf(newest.toReversed().map((turn) => ({ turn, to: readRequest({ ...session, turn }).to })));
}

/** The record of a session. @throws ZwarmError `not_found`, `damaged` */
export function readRecordOrDamaged(session: Session): Promise<SessionRecord> {
  return orDamaged(session, async () => readSessionRecord(session));
}

/** Where the agent of a turn works, or worked. @throws ZwarmError likewise */
export async function directoryOfTurn({ store, id, turn }: Turn): Promise<string> {
  return launchOf({ store, id, turn })?.working_dir ?? (await readRecordOrDamaged({ store, id })).working_dir;
}

/** The present state of one turn of a session. @throws ZwarmError `not_found`, `damaged` */
export function readTurnStateOrDamaged(turn: Turn, nowMs: number): Promise<TurnState> {
  return orDamaged(turn, async () => readTurnState(turn, readSessionRecord(turn), nowMs));
}

/** The present state of a session from its own files, never from a summary. @throws ZwarmError `not_found`, `damaged` */
export function readStateFromRecords({ store, id }: Session, nowMs: number): Promise<SessionNow> {
  const session = { store, id };
  return orDamaged(session, async () => {
    const record = readSessionRecord(session);
    const turns = turnsOf(session);
    const newestFirst: TurnState[] = [];
    for (const turn of turns.toReversed()) {
      const state = await readTurnState({ ...session, turn }, record, nowMs);
      newestFirst.push(state);
      if (endsSearch(newestFirst)) break;
    }
    requireTurns(newestFirst);
    return { ...session, record, turns, ...speakingTurn(newestFirst, copiedTurns(record)) };
  });
}
