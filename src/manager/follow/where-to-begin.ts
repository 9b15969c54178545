import { createStepList } from '../../core/conversation/step-list.ts';
import { isFinal } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { followLines } from '../../store/read-forward.ts';
import { readFromEnd } from '../../store/read-from-end.ts';
import { eventsMtime, readExit, readRequest, readSessionRecord } from '../../store/sessions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { turnsOf } from '../session/current-turn.ts';
import { onlyTurn, openConversation } from '../session/read-session.ts';
import { startedMs } from '../session/session-state.ts';
import { trajectory } from '../session/trajectory.ts';
import { adapterOf, readTurnState } from '../turn/turn-state.ts';
import { eventsOf, launchOf, openStream, type TurnStream } from '../turn/turn-stream.ts';

/** Where the steps begin that are wanted of a session. */
export interface Beginning {
  /** The first turn with any. */
  readonly turn: number;
  /** The byte of its stream from which on its lines are read. */
  readonly from: number;
  /** How many of the steps from there on are not wanted. */
  readonly skip: number;
}

export const FROM_THE_START: Beginning = { turn: 1, from: 0, skip: 0 };

/** How many steps there are in a stream from a byte on, which begins a line. */
function countSteps({ path, range, newParser }: TurnStream, from: number): number {
  const list = createStepList();
  const lines = followLines(path, undefined, from).read(range);
  for (const event of eventsOf(lines, newParser())) list.add(event);
  return list.length();
}

/**
 * Where to begin so that at least `count` steps are left, of which no more is read than that needs. One that began before
 * and ended later counts where it ended. @throws DamagedRecord
 */
export async function beginningOfLast(session: Session, count: number, only?: number): Promise<Beginning> {
  const record = readSessionRecord(session);
  let missing = count;
  let first = FROM_THE_START;
  for (const turn of turnsOf(session).toReversed()) {
    if (only !== undefined && turn !== only) continue;
    first = { ...FROM_THE_START, turn };
    const at = { ...session, turn };
    const range = { limit: readExit(at)?.record.events_bytes ?? null, ended: false };
    const request = readRequest(at);
    const stream = await openStream({ ...at, request }, range, adapterOf(record, request));
    let found = 0;
    for (const { from } of readFromEnd(stream.path, range)) {
      found = countSteps(stream, from);
      if (found >= missing) return { ...first, from };
    }
    missing -= found;
  }
  return first;
}

/**
 * Where to begin so that what was done before a time (ms since the epoch) is left out, as far as that is known: turns that
 * ended before it, and of the turn that did not the steps up to the last one of which the agent's own history says so.
 * @throws DamagedRecord
 */
export async function beginningSince(
  context: ManagerContext,
  session: Session,
  sinceMs: number,
): Promise<Beginning> {
  const record = readSessionRecord(session);
  const turns = turnsOf(session);
  for (const turn of turns) {
    const at = { ...session, turn };
    const { exit, verdict, request, runner, adapter } = await readTurnState(at, record, context.now());
    const asked = parseIso(request.at) ?? 0;
    const endedMs = exit?.endedMs ?? (isFinal(verdict.status) ? (eventsMtime(at) ?? asked) : null);
    if (endedMs !== null && endedMs < sinceMs) continue;
    const began = startedMs({ request, runner, launch: launchOf(at) }) ?? asked;
    if (began >= sinceMs || adapter?.history == null) return { ...FROM_THE_START, turn };
    const steps = trajectory(onlyTurn(await openConversation(session, context.now()), turn));
    const last = steps.findLastIndex(({ ended_at }) => (parseIso(ended_at) ?? sinceMs) < sinceMs);
    return { ...FROM_THE_START, turn, skip: last + 1 };
  }
  return { ...FROM_THE_START, turn: (turns.at(-1) ?? 0) + 1 };
}
