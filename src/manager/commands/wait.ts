import { findAgent } from '../../agents/registry.ts';
import type { TurnStatus } from '../../core/status.ts';
import type { ManagerContext, Session } from '../context.ts';
import { readNow, readRecord, readTurnNow } from '../session/current-turn.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { waitForRest } from '../turn/wait-for-rest.ts';

/** Waits until a session is at rest, or that turn has ended, or the signal aborts. @throws ZwarmError `damaged`, … */
export async function wait(
  context: ManagerContext,
  session: Session,
  turn: number | null,
  signal: AbortSignal,
): Promise<TurnStatus> {
  const look = async (): Promise<TurnState> =>
    turn === null
      ? (await readNow(session, context.now())).current
      : readTurnNow({ ...session, turn }, context.now());
  const loadParser = async () => findAgent((await readRecord(session)).agent)?.loadParser(null);
  return (await waitForRest(look, signal, loadParser)).verdict.status;
}
