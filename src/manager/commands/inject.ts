import { ZwarmError } from '../../core/errors.ts';
import { marksOfTurn } from '../../core/turn-mark.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import type { ManagerContext, Session } from '../context.ts';
import { DEFAULT_HISTORY_CHARS } from '../launch/continuation.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { checkFollowUp, goOn, launchNext } from '../launch/next-turn.ts';
import { requireAtRest, requireMessage } from '../launch/preconditions.ts';
import { readNow } from '../session/current-turn.ts';
import { interruptTurn, refuseFromInside } from '../stop/stop-turn.ts';

/** How to give a session its next message. */
export interface InjectOptions {
  /** Stop the running turn first; the message is claimed before that, so that it cannot be lost. */
  readonly interrupt?: boolean | undefined;
  /** The user knows that a session does not run of which that cannot be told here. */
  readonly force?: boolean | undefined;
  /** The limit for a replayed transcript, in characters. */
  readonly historyChars?: number | undefined;
}

/** Refuses what `inject` would refuse whatever the message: before one is written. @throws ZwarmError */
export async function checkInject(
  context: ManagerContext,
  session: Session,
  { interrupt, force }: InjectOptions = {},
) {
  const now = await readNow(session, context.now());
  const { id, current } = now;
  const interrupts = interrupt === true && current.verdict.status === 'running';
  if (!interrupts) requireAtRest(now, force);
  else if (now.behind.length > 0) {
    const hint = `wait for it first: zwarm wait ${id}`;
    throw new ZwarmError('busy', `${id} is being given another message`, hint);
  }
  const checked = await checkFollowUp(context, now);
  if (interrupts) refuseFromInside(id, marksOfTurn(current));
  return { now, checked, interrupts };
}

/**
 * Gives a session its next message, which is safe on the disk when this returns. @throws ZwarmError `busy`, `lost_race`,
 * `not_resumable`, `unknown_liveness`, `directory_changed`, `not_allowed`, `over_quota`, …
 */
export async function inject(
  context: ManagerContext,
  session: Session,
  message: string,
  options: InjectOptions = {},
): Promise<StartedTurn> {
  requireMessage(message, 'message');
  const { now, checked, interrupts } = await checkInject(context, session, options);
  const { historyChars = DEFAULT_HISTORY_CHARS } = options;
  const given = { kind: 'prompt', message, covers: [], historyChars } as const;
  if (!interrupts) return goOn(context, now, checked, given);
  const next = { ...session, before: now.turns, ...checked, ...given };
  return launchNext(context, next, {
    continues: null,
    claim: claimTurn,
    async afterClaim(turn) {
      flushClaim(turn);
      await interruptTurn(context, now);
    },
  });
}
