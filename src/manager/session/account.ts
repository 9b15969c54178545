import { heldBy } from '../../core/rules/hold.ts';
import type { Pending } from '../../core/rules/queue.ts';
import { type Account, readHold } from '../../store/holds.ts';
import { readEnvironment } from '../../store/sessions.ts';
import { accountIn } from '../turn/agent-account.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { wakerNow } from './wake-time.ts';

/** The account of a turn that waits; null where its agent is unknown, or it waits no longer. */
export function accountOf(turn: TurnState): Account | null {
  const given = turn.adapter === null ? null : readEnvironment(turn);
  return turn.adapter === null || given === null ? null : accountIn(given.env, turn.adapter);
}

/** What holds a turn that waits, or null. */
export function holdOf(turn: TurnState, nowMs: number): Pending | null {
  const account = accountOf(turn);
  const hold = account === null ? null : readHold(turn.store.state, account);
  // The network is tried again by what is to be tried again.
  if (hold === null || (hold.code === 'connection' && turn.request.kind === 'retry')) return null;
  return heldBy(hold, nowMs, wakerNow(turn.store.state).lives);
}
