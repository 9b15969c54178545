import { join } from 'node:path';
import { heldBy, heldUntil, holdsAccount, showsItWorks } from '../../core/rules/hold.ts';
import { eventsOfEnd, type NotifiedEvent } from '../../core/rules/notification.ts';
import type { SessionError } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';
import { isAdopted } from '../../core/turn-kinds.ts';
import { publishOnce } from '../../store/files.ts';
import { openHold, putHold, readHold } from '../../store/holds.ts';
import { BUILDING_PREFIX, turnDir, turnFile } from '../../store/layout.ts';
import { lookAt } from '../../store/read-file.ts';
import { copiedTurns, type NotificationRecord, type SessionRecord } from '../../store/records.ts';
import { marksDir, readMarks } from '../../store/seen.ts';
import { hasTurn, readSessionRecord } from '../../store/sessions.ts';
import { USER } from '../access/caller.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { forgetEnvironment } from '../launch/environment.ts';
import { orDamaged, unlessGone } from '../session/damage.ts';
import { explain, startedMs } from '../session/session-state.ts';
import { readTurnWithOutcome, type TurnReading } from '../turn/turn-state.ts';
import { notificationOf, notify } from './notify.ts';

/**
 * What the end of a turn says of the account that it used: some failures hold it, and a success opens it. What has become
 * of it by that, or null.
 */
function noteAccount(
  context: ManagerContext,
  turn: TurnReading,
  error: SessionError | null,
): 'held' | 'resumed' | null {
  const { adapter, launch, verdict, store } = turn;
  if (adapter === null || launch?.account == null) return null;
  const account = { agent: adapter.name, account: launch.account };
  const before = readHold(store.state, account);
  const wasHeld = before !== null && heldBy(before, context.now(), true) !== null;
  if (verdict.status === 'failed' && error !== null && holdsAccount(error.code)) {
    const { code, message } = error;
    const nowMs = context.now();
    const hold = {
      v: 1,
      ...account,
      code,
      message,
      retry_at: heldUntil(error, nowMs),
      at: isoTime(nowMs),
    } as const;
    putHold(store.state, hold, context.newNonce());
    return wasHeld ? null : 'held';
  }
  if (verdict.status !== 'completed' || before === null || !showsItWorks(startedMs(turn), before))
    return null;
  openHold(store.state, account);
  return wasHeld ? 'resumed' : null;
}

const isDealtWith = (turn: Turn): boolean => lookAt(turnFile(turn, 'notified')) !== null;

/** Whether it was zwarm here that ran a turn: not what is a copy of another one, or came out of an archive. */
function ranHere(record: SessionRecord, { turn, request, isMarker }: TurnReading): boolean {
  if (isMarker || isAdopted(request.kind)) return false;
  return turn > copiedTurns(record) && turn > (record.unpacked?.turn ?? 0);
}

/** What the user is to be told of the end of a turn. */
function toTell(
  context: ManagerContext,
  turn: TurnReading,
  ofAccount: NotifiedEvent | null,
  error: SessionError | null,
): readonly NotificationRecord[] {
  const { store, id, verdict, cancel } = turn;
  const seen = readMarks(marksDir(store.state, USER, store.id))?.get(id) ?? 0;
  const isAtRest = !hasTurn({ ...turn, turn: turn.turn + 1 });
  const end = { status: verdict.status, cancel, isAtRest, isSeen: seen >= turn.turn };
  const events = [...eventsOfEnd(end), ...(ofAccount === null ? [] : [ofAccount])];
  return events.map((event) => notificationOf(context, turn, event, error));
}

/**
 * Does what the end of a turn asks for, unless that was done: whoever sees it first. What the user is to be told of it is
 * returned to one of those alone.
 */
export async function afterEnd(
  context: ManagerContext,
  record: SessionRecord,
  turn: TurnReading,
): Promise<readonly NotificationRecord[]> {
  if (isDealtWith(turn)) return [];
  const error = explain({ record }, turn);
  const ofAccount = noteAccount(context, turn, error);
  const { verdict, request } = turn;
  if (verdict.status === 'failed' && error !== null && request.retry !== null)
    await (await import('./retry.ts')).retryLater(context, turn, error);
  const temporary = join(turnDir(turn), `${BUILDING_PREFIX}${context.newNonce()}`);
  const text = `{"v":1,"at":"${isoTime(context.now())}"}\n`;
  const isFirst = publishOnce(turnFile(turn, 'notified'), text, temporary);
  if (request.retry !== null) forgetEnvironment(turn);
  return isFirst && ranHere(record, turn) ? toTell(context, turn, ofAccount, error) : [];
}

/** The same for turns that may have ended, to which their runners may not have come yet; the user is told of them. */
export async function afterEnds(context: ManagerContext, turns: readonly Turn[]): Promise<void> {
  for (const turn of turns) {
    if (isDealtWith(turn) || !hasTurn(turn)) continue;
    const read = async () => {
      const record = readSessionRecord(turn);
      return { record, reading: await readTurnWithOutcome(turn, record, context.now()) };
    };
    const found = await unlessGone(orDamaged(turn, read));
    if (found !== null && isFinal(found.reading.verdict.status))
      await notify(context, turn.store, await afterEnd(context, found.record, found.reading));
  }
}
