import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import { locateSession } from '../access/locate-session.ts';
import { requireOwn } from '../access/permissions.ts';
import type { ManagerContext } from '../context.ts';
import { newRequest } from '../launch/launch-turn.ts';
import { requireAtRest } from '../launch/preconditions.ts';
import { readNow } from '../session/current-turn.ts';
import { cacheState } from '../session/summary-cache.ts';
import { declareNeverLaunched } from '../stop/never-launched.ts';

/** A conversation that was wound back. */
export interface Rewound {
  readonly id: SessionId;
  /** The number of the marker, which is no turn of the agent. */
  readonly turn: number;
  readonly to: number;
}

/**
 * Winds a conversation back to what it was right after turn `to`, 0 for its beginning. Only the conversation: files stay
 * as they are. Undone by another one. @throws ZwarmError `usage`, `busy`, `lost_race`, …
 */
export async function rewind(context: ManagerContext, ref: string, to: number): Promise<Rewound> {
  const { store, id } = locateSession(context, ref, { forWriting: true });
  const now = await readNow(store, id, context.now());
  const last = now.turns.at(-1) ?? 1;
  if (to !== 0 && !now.turns.includes(to)) {
    throw new ZwarmError(
      'usage',
      `${id} has no turn ${to}`,
      `its turns go from 1 to ${last}; 0 is its beginning`,
    );
  }
  if (to === last) {
    throw new ZwarmError(
      'usage',
      `turn ${to} is where ${id} is`,
      'name an earlier turn, or 0 for the beginning',
    );
  }
  requireOwn(context, store, id);
  requireAtRest(now);
  declareNeverLaunched(context, store, now);
  const turn = last + 1;
  claimTurn(store.root, id, turn, { request: newRequest(context, 'rewind', { to }), prompt: null });
  flushClaim(store.root, id, turn);
  await cacheState(context, store, id);
  return { id, turn, to };
}
