import { findAgent } from '../../agents/registry.ts';
import { ZwarmError } from '../../core/errors.ts';
import { isFinal, type TurnStatus } from '../../core/status.ts';
import type { ManagerContext, Session } from '../context.ts';
import {
  readRecordOrDamaged,
  readStateFromRecords,
  readTurnStateOrDamaged,
} from '../session/current-turn.ts';
import { whyWaits } from '../session/waiting.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { waitForRest } from '../turn/wait-for-rest.ts';

/** Refuses to wait for what will not begin by itself. @throws ZwarmError `failed` */
async function requireToBegin(turn: TurnState, nowMs: number): Promise<void> {
  const why = await whyWaits(turn, null, nowMs);
  if (why?.reason !== 'failed_dependency') return;
  const hint = `mend that with zwarm inject, or take this back: zwarm queue rm ${turn.id}`;
  throw new ZwarmError('failed', `${turn.id} does not begin: ${why.detail}`, hint);
}

/**
 * Waits until a session is at rest, or that turn has ended, or the signal aborts; `ready` at once where no turn of it has run.
 * @throws ZwarmError `damaged`, …
 */
export async function wait(
  context: ManagerContext,
  session: Session,
  turn: number | null,
  signal: AbortSignal,
): Promise<TurnStatus | 'ready'> {
  const readNumber = (number: number) => readTurnStateOrDamaged({ ...session, turn: number }, context.now());
  const readCurrent = async () => (await readStateFromRecords(session, context.now())).current;
  const first = turn === null ? await readCurrent() : await readNumber(turn);
  if (first === null) return 'ready';
  let known = first;
  const read = async (): Promise<TurnState> => {
    const current = turn === null ? await readCurrent() : null;
    // One that was rewound meanwhile has ended before.
    known = current !== null && current.turn >= known.turn ? current : await readNumber(known.turn);
    return known;
  };
  /** What has just failed may have to be repeated, which its runner is about to see to. */
  const settled = async (): Promise<TurnState> => {
    const state = await read();
    if (turn !== null || state.request.retry === null || !isFinal(state.verdict.status)) return state;
    await (await import('../queue/after-end.ts')).afterEnds(context, [state]).catch(() => undefined);
    return read();
  };
  const look = async (): Promise<TurnState> => {
    const state = await settled();
    if (state.verdict.status !== 'pending' || !state.request.queued) return state;
    await (await import('../queue/dispatch.ts')).moveIdleQueue(context, session.store);
    const after = await read();
    if (after.verdict.status === 'pending') await requireToBegin(after, context.now());
    return after;
  };
  const loadParser = async () => findAgent((await readRecordOrDamaged(session)).agent)?.loadParser(null);
  return (await waitForRest(look, signal, loadParser)).verdict.status;
}
