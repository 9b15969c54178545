import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import { requireOwn } from '../access/permissions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { newRequest } from '../launch/new-request.ts';
import { requireAtRest } from '../launch/preconditions.ts';
import { readNow } from '../session/current-turn.ts';
import { cacheState } from '../session/session-summary.ts';
import { declareNeverLaunched } from '../stop/request-cancel.ts';

/** A conversation that was wound back. */
export interface Rewound {
  readonly id: SessionId;
  /** The number of the marker, which is not a turn of the agent. */
  readonly turn: number;
  readonly to: number;
}

/**
 * Winds a conversation, not its files, back to what it was right after turn `to`, 0 for its beginning.
 * @throws ZwarmError `usage`, `busy`, `lost_race`, …
 */
export async function rewind(context: ManagerContext, session: Session, to: number): Promise<Rewound> {
  const { id } = session;
  const now = await readNow(session, context.now());
  const last = now.turns.at(-1) ?? 1;
  const refuse = (what: string, hint: string): never => {
    throw new ZwarmError('usage', what, hint);
  };
  if (to !== 0 && !now.turns.includes(to))
    refuse(`${id} has no turn ${to}`, `its turns go from 1 to ${last}; 0 is its beginning`);
  if (to === last) refuse(`turn ${to} is where ${id} is`, 'name an earlier turn, or 0 for the beginning');
  requireOwn(context, session);
  requireAtRest(now);
  declareNeverLaunched(context, now);
  const turn = { ...session, turn: last + 1 };
  claimTurn(turn, { request: newRequest(context, 'rewind', { to }), prompt: null });
  flushClaim(turn);
  await cacheState(context, session);
  return { id, turn: turn.turn, to };
}
