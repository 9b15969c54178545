import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import { requireOwn } from '../access/permissions.ts';
import { catchUp } from '../adopt/opened.ts';
import type { ManagerContext, Session } from '../context.ts';
import { newRequest } from '../launch/new-request.ts';
import { requireAtRest } from '../launch/preconditions.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { requireKnownWords } from '../session/unknown-words.ts';
import { declareNeverLaunched } from '../stop/request-cancel.ts';
import type { Undone } from './undo.ts';

/** A conversation that was rewound. */
export interface Rewound {
  readonly id: SessionId;
  /** The number of the marker, which is not a turn of the agent. */
  readonly turn: number;
  readonly to: number;
  /** What of the files was taken back; null where that was not asked for. */
  readonly undone: Undone | null;
}

/** How to wind back. */
export interface RewindOptions {
  /** Also take what the later turns changed out of the files. */
  readonly files?: boolean | undefined;
}

/**
 * Winds a conversation back to what it was right after turn `to`, 0 for its beginning; its files only where that is asked for.
 * @throws ZwarmError `usage`, `busy`, `lost_race`, `conflict`, …
 */
export async function rewind(
  context: ManagerContext,
  session: Session,
  to: number,
  { files = false }: RewindOptions = {},
): Promise<Rewound> {
  const { id } = session;
  const now = await requireKnownWords(await catchUp(context, session));
  const last = now.turns.at(-1) ?? 1;
  const refuse = (what: string, hint: string): never => {
    throw new ZwarmError('usage', what, hint);
  };
  if (to !== 0 && !now.turns.includes(to))
    refuse(`${id} has no turn ${to}`, `its turns go from 1 to ${last}; 0 is its beginning`);
  if (to === last) refuse(`turn ${to} is where ${id} is`, 'name an earlier turn, or 0 for the beginning');
  requireOwn(context, session);
  requireAtRest(now);
  // All that can be refused is refused before the marker is there.
  const plan = files
    ? await (await import('./undo.ts')).planUndoOf(context, session, { from: to + 1 })
    : null;
  declareNeverLaunched(context, now);
  const turn = { ...session, turn: last + 1 };
  claimTurn(turn, { request: newRequest(context, 'rewind', { to }), prompt: null });
  flushClaim(turn);
  await plan?.carryOut();
  await tryCacheState(context, session);
  return { id, turn: turn.turn, to, undone: plan?.undone ?? null };
}
