import { findAgent } from '../../agents/registry.ts';
import type { SessionId } from '../../core/ids.ts';
import type { TurnStatus } from '../../core/status.ts';
import type { ManagerContext, Store } from '../context.ts';
import { readNow, readRecord, readTurnNow } from '../session/current-turn.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { waitForRest } from '../turn/wait-for-rest.ts';

/**
 * Waits until a session is at rest, or that turn of it has ended, or the signal aborts; returns the status then.
 * @throws ZwarmError `damaged` …
 */
export async function wait(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  signal: AbortSignal,
  turn: number | null,
): Promise<TurnStatus> {
  const look = async (): Promise<TurnState> =>
    turn === null
      ? (await readNow(store, id, context.now())).current
      : readTurnNow(store, id, turn, context.now());
  const loadParser = async () => findAgent((await readRecord(store, id)).agent)?.loadParser(null);
  return (await waitForRest(store, id, look, signal, loadParser)).verdict.status;
}
