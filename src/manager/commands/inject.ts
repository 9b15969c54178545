import { ZwarmError } from '../../core/errors.ts';
import { type RunLimits, withLimits } from '../../core/rules/run-limits.ts';
import { marksOfTurn } from '../../core/turn-mark.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import { catchUp } from '../adopt/opened.ts';
import type { ManagerContext, Session } from '../context.ts';
import type { AskedAgent } from '../launch/choose-agent.ts';
import { DEFAULT_HISTORY_CHARS } from '../launch/continuation.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { addTurn, checkFollowUp, launchNext } from '../launch/next-turn.ts';
import { requireAtRest, requireClosed, requireKnown, requireMessage } from '../launch/preconditions.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { requireKnownWords } from '../session/unknown-words.ts';
import { interruptTurn, refuseFromInside } from '../stop/stop-turn.ts';
import type { TurnState } from '../turn/turn-state.ts';

/** How to give a session its next message. */
export interface InjectOptions extends AskedAgent {
  /** Stop the running turn first; the message is claimed before that, so that it cannot be lost. */
  readonly interrupt?: boolean | undefined;
  /** What the turn may take until it is stopped, where that is not what others of the session may. */
  readonly runLimits?: Partial<RunLimits> | undefined;
  /** How often the message may be repeated where its turn fails for a reason that passes. */
  readonly retries?: number | undefined;
  /** Let it wait for what runs and waits before it. */
  readonly queue?: boolean | undefined;
  /** The user knows that a session does not run of which that cannot be determined here. */
  readonly force?: boolean | undefined;
  /** The limit for a replayed transcript, in characters. */
  readonly historyChars?: number | undefined;
}

/** The turn for which a session waits, where that is nothing but its last message once more. */
const toRetry = ({ current, behind }: SessionNow): TurnState | null =>
  current?.request.kind === 'retry' && current.verdict.status === 'pending' && behind.length === 0
    ? current
    : null;

/** Refuses what `inject` would refuse whatever the message: before one is written. @throws ZwarmError */
export async function checkInject(
  context: ManagerContext,
  session: Session,
  { interrupt, queue, force, runLimits, retries: _, ...asked }: InjectOptions = {},
) {
  const now = await requireKnownWords(await catchUp(context, session, force));
  const { id, current } = now;
  requireClosed(now);
  const running = interrupt && current?.verdict.status === 'running' ? current : null;
  const otherwise = `; or queue the message: zwarm inject ${id} --queue "…"; or stop it: zwarm inject ${id} --interrupt "…"`;
  if (queue || toRetry(now) !== null) requireKnown(now);
  else if (running === null) requireAtRest(now, force, otherwise);
  else if (now.behind.length > 0) {
    const hint = `wait for it first: zwarm wait ${id}; or withdraw what waits: zwarm queue rm ${id}`;
    throw new ZwarmError('busy', `${id} has been given another message`, hint);
  }
  const found = await checkFollowUp(context, now, asked);
  const checked = { ...found, runLimits: withLimits(found.runLimits, runLimits ?? {}) };
  if (running !== null) refuseFromInside(id, marksOfTurn(running));
  return { now, checked, running };
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
  requireMessage(message, session.id);
  const { now, checked, running } = await checkInject(context, session, options);
  const { historyChars = DEFAULT_HISTORY_CHARS, retries } = options;
  const given = { kind: 'prompt', message, covers: [], historyChars, retries } as const;
  if (options.queue) {
    const { queueTurn } = await import('../queue/queue-turn.ts');
    const turn = { ...session, turn: (now.turns.at(-1) ?? 0) + 1 };
    const waits = { after: [], even_if_failed: false };
    return queueTurn(context, { ...turn, ...checked, ...waits, message, retries }, (claim) =>
      claimTurn(turn, claim),
    );
  }
  const retry = toRetry(now);
  if (retry !== null) {
    await (await import('./queue.ts')).withdraw(context, session, retry.turn);
    return inject(context, session, message, options);
  }
  if (running === null) return addTurn(context, now, checked, given);
  const next = { ...session, before: now.turns, ...checked, ...given };
  return launchNext(context, next, {
    continues: null,
    claim: claimTurn,
    async afterClaim(turn) {
      flushClaim(turn);
      await interruptTurn(context, now.record, running);
    },
  });
}
