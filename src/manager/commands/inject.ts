import { ZwarmError } from '../../core/errors.ts';
import { marksOfTurn } from '../../core/turn-mark.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import { locateSession } from '../access/locate-session.ts';
import type { ManagerContext } from '../context.ts';
import { DEFAULT_HISTORY_CHARS } from '../launch/continuation.ts';
import { checkFollowUp, type FollowUp, followUpOf, goOn } from '../launch/follow-up.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { type Checked, launchNext } from '../launch/next-turn.ts';
import { requireAtRest, requireMessage } from '../launch/preconditions.ts';
import { readNow, type SessionNow } from '../session/current-turn.ts';
import { interruptTurn, refuseFromInside } from '../stop/stop-turn.ts';

/** How to give a session its next message. */
export interface InjectOptions {
  /** Stop the running turn first; the message is claimed before that, so that it cannot be lost. */
  readonly interrupt?: boolean | undefined;
  /** The user knows that a session of which nobody here can tell whether it runs does not. */
  readonly force?: boolean | undefined;
  /** The limit for a replayed transcript, in characters. */
  readonly historyChars?: number | undefined;
}

/** A session that can be given a message now. */
interface Open {
  readonly now: SessionNow;
  readonly checked: Checked;
  /** Whether its running turn is to be stopped first. */
  readonly interrupts: boolean;
}

/** Everything that can be refused of a turn that interrupts the running one. */
async function checkInterrupt(context: ManagerContext, now: SessionNow): Promise<Checked> {
  const { id, behind, current } = now;
  if (behind.length > 0) {
    const hint = `wait for it first: zwarm wait ${id}`;
    throw new ZwarmError('busy', `${id} is being given another message`, hint);
  }
  const checked = await checkFollowUp(context, now);
  refuseFromInside(id, marksOfTurn(current));
  return checked;
}

async function open(
  context: ManagerContext,
  ref: string,
  { interrupt, force }: InjectOptions,
): Promise<Open> {
  const session = locateSession(context, ref, { forWriting: true });
  const now = await readNow(session, context.now());
  if (interrupt && now.current.verdict.status === 'running')
    return { now, checked: await checkInterrupt(context, now), interrupts: true };
  requireAtRest(now, force);
  return { now, checked: await checkFollowUp(context, now), interrupts: false };
}

/** Claims the next turn, ends the running one, and launches the claimed one once that end was observed. */
function interrupt(
  context: ManagerContext,
  now: SessionNow,
  checked: Checked,
  followUp: FollowUp,
): Promise<StartedTurn> {
  const next = followUpOf(now, checked, followUp);
  return launchNext(context, next, {
    continues: null,
    claim: (claim) => claimTurn(next, claim),
    async afterClaim() {
      flushClaim(next);
      await interruptTurn(context, now);
    },
  });
}

/**
 * Gives a session its next message. When this returns, the message is safe on the disk and the agent's runner lives.
 * @throws ZwarmError `busy`, `lost_race`, `not_resumable`, `unknown_liveness`, `directory_changed`, `not_allowed`,
 * `over_quota`, …
 */
export async function inject(
  context: ManagerContext,
  ref: string,
  message: string,
  options: InjectOptions = {},
): Promise<StartedTurn> {
  requireMessage(message, 'message');
  const { now, checked, interrupts } = await open(context, ref, options);
  const { historyChars = DEFAULT_HISTORY_CHARS } = options;
  const followUp: FollowUp = { kind: 'prompt', message, covers: [], historyChars };
  return (interrupts ? interrupt : goOn)(context, now, checked, followUp);
}

/** Refuses what `inject` would refuse whatever the message: before somebody writes one. @throws ZwarmError */
export async function checkInject(
  context: ManagerContext,
  ref: string,
  options: InjectOptions = {},
): Promise<void> {
  await open(context, ref, options);
}
