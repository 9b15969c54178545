import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { Pending } from '../../core/rules/queue.ts';
import { cutText } from '../../core/session.ts';
import { wishesIn } from '../../store/dispatchers.ts';
import { discard } from '../../store/files.ts';
import { openHold } from '../../store/holds.ts';
import { turnFile } from '../../store/layout.ts';
import { readQueue } from '../../store/queue.ts';
import type { SessionRecord } from '../../store/records.ts';
import { hasQueue, readPrompt } from '../../store/sessions.ts';
import { forgetWakeTime, readWakeTime } from '../../store/wakers.ts';
import { type ManagerContext, openForReading, type Session, stateDirectory, type Turn } from '../context.ts';
import { openAll } from '../project/all-stores.ts';
import { dispatch, keepMoving } from '../queue/dispatch.ts';
import { notificationOf, notify } from '../queue/notify.ts';
import { wakeAt } from '../queue/waker.ts';
import { accountOf } from '../session/account.ts';
import { openTurns, readStateFromRecords } from '../session/current-turn.ts';
import { unlessGone } from '../session/damage.ts';
import { nothingKnown, waitingOf } from '../session/waiting.ts';
import { DEFAULT_GRACE_MS, stop, stopOf } from '../stop/stop-turn.ts';
import { readTurnState, type TurnState } from '../turn/turn-state.ts';

/** A message that waits: the JSON contract of `docs/formats.md`. */
export interface QueuedTurn {
  readonly id: SessionId;
  readonly name: string | null;
  readonly turn: number;
  readonly prompt: string;
  readonly by: string | null;
  readonly queued_at: string;
  readonly pending: Pending;
}

/** The messages that wait in this project, in the order of the queue. */
export async function queued(context: ManagerContext): Promise<readonly QueuedTurn[]> {
  const store = openForReading(context);
  const found: QueuedTurn[] = [];
  const known = nothingKnown();
  for (const place of store === null ? [] : readQueue(store)) {
    const now = await unlessGone(readStateFromRecords(place, context.now()));
    if (now === null) continue;
    const turns = openTurns(now);
    const state = turns.find(({ turn, verdict }) => turn === place.turn && verdict.status === 'pending');
    if (state === undefined) continue;
    const earlier = turns[turns.indexOf(state) - 1];
    const { pending } =
      earlier === undefined ? await waitingOf([state], context.now(), known) : { pending: behind(earlier) };
    const { id, turn, request, store } = state;
    const prompt = cutText(readPrompt(state)?.toString() ?? '');
    const name = store.names.get(id) ?? null;
    if (pending !== null)
      found.push({ id, name, turn, prompt, by: request.by, queued_at: request.at, pending });
  }
  return found;
}

const behind = ({ turn }: Turn): Pending => ({
  reason: 'queue',
  detail: `turn ${turn} of its session comes first`,
  not_before: null,
});

/** Takes back messages of a session that wait, or one of them; the turns. @throws ZwarmError `not_running` where none waits */
export async function withdraw(
  context: ManagerContext,
  session: Session,
  only: number | undefined,
): Promise<readonly number[]> {
  const now = await readStateFromRecords(session, context.now());
  const waiting = openTurns(now).filter(
    ({ turn, request, verdict }) =>
      request.queued && verdict.status === 'pending' && (only === undefined || turn === only),
  );
  if (waiting.length === 0) {
    const what =
      only === undefined
        ? `no message of ${session.id} waits`
        : `turn ${only} of ${session.id} does not wait`;
    throw new ZwarmError('not_running', what, 'what waits: zwarm queue');
  }
  // The last first: none of them begins meanwhile because the one before it was withdrawn.
  for (const turn of waiting.toReversed()) await takeBack(context, now.record, turn);
  return waiting.map(({ turn }) => turn);
}

/** Ends a turn that waits: also one that begins at this moment. */
async function takeBack(context: ManagerContext, record: SessionRecord, turn: TurnState): Promise<void> {
  const look = (): Promise<TurnState> => readTurnState(turn, null, context.now());
  const asked = { why: 'withdraw', reason: null, graceMs: DEFAULT_GRACE_MS } as const;
  await stop(context, turn, { ...(await stopOf(context, record, turn, asked)), look });
}

/** Starts what may begin in all projects, as the waker does; the turns that have begun. @throws ZwarmError */
export async function wake(context: ManagerContext): Promise<readonly Pick<Turn, 'id' | 'turn'>[]> {
  const { begun } = await dispatchAll(context);
  const state = stateDirectory(context);
  await notify(
    context,
    { state },
    begun.map((turn) => notificationOf(context, turn, 'resumed')),
  );
  return begun;
}

async function dispatchAll(context: ManagerContext): ReturnType<typeof dispatch> {
  const begun: TurnState[] = [];
  const byOthers: Turn[] = [];
  const state = stateDirectory(context);
  // Whatever still waits for a time says so anew.
  forgetWakeTime(state);
  for (const store of openAll(context).stores) {
    if (!hasQueue(store)) continue;
    const found = await dispatch(context, store);
    begun.push(...found.begun);
    byOthers.push(...found.byOthers);
  }
  // Another process may have taken this one for the waker that it was.
  const at = readWakeTime(state);
  if (at !== null) await wakeAt(context, state, at * 1000);
  return { begun, byOthers };
}

/** Looks at the queues that others wished to be looked at while a command did that, as long as they do. */
export async function dispatchWished(context: ManagerContext): Promise<void> {
  for (const store of openAll(context).stores)
    if (wishesIn(store.root).length > 0) await keepMoving(context, store);
}

/** Opens the accounts of what waits, forgets until when it was put off, and starts what may begin; the turns that have begun. @throws ZwarmError */
export async function runQueue(context: ManagerContext): Promise<readonly Pick<Turn, 'id' | 'turn'>[]> {
  const store = openForReading(context, true);
  if (store === null) return [];
  for (const place of readQueue(store)) {
    const now = await unlessGone(readStateFromRecords(place, context.now()));
    const waiting = now === null ? [] : openTurns(now);
    const turn = waiting.find(({ turn }) => turn === place.turn);
    if (turn === undefined) continue;
    discard(turnFile(turn, 'deferral'));
    const account = accountOf(turn);
    if (account !== null) openHold(store.state, account);
  }
  // What waits for the same account in other projects may begin, too.
  const { begun, byOthers } = await dispatchAll(context);
  return [...begun, ...byOthers];
}
