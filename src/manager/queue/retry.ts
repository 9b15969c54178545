import { toZwarmError } from '../../core/errors.ts';
import { nextRetry, retryMs, retryWords } from '../../core/rules/retry.ts';
import { cutLine, type SessionError } from '../../core/session.ts';
import { isoTime } from '../../core/time.ts';
import { ownIdentity } from '../../process/identity.ts';
import { claimTurn } from '../../store/claim.ts';
import { claimInQueue } from '../../store/queue.ts';
import { hasTurn, readEnvironment, readPrompt } from '../../store/sessions.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { newRequest } from '../launch/new-request.ts';
import { unknownWordsOf } from '../session/unknown-words.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { wakeAt } from './waker.ts';

/**
 * Lets the message of a failed turn be repeated later, where that was asked for, the failure passes by itself, and the
 * session was given nothing else: the claim of the next turn decides, so that it is repeated once.
 */
export async function retryLater(
  context: ManagerContext,
  turn: TurnReading,
  error: SessionError,
): Promise<void> {
  const { store, id, request } = turn;
  const retry = nextRetry(request.retry, error);
  const next: Turn = { store, id, turn: turn.turn + 1 };
  if (retry === null || hasTurn(next)) return;
  // Only a newer zwarm knows what would come before the repetition.
  if (unknownWordsOf(turn).length > 0) return;
  const [prompt, environment] = [readPrompt(turn), readEnvironment(turn)];
  if (prompt === null || environment === null) return;
  const atMs = retryMs(retry, error, context.now());
  const { by, runs, run_limits } = request;
  const asked = newRequest(context, 'retry', { queued: true, runs, run_limits, retry });
  const detail = `${retryWords(retry)}, as turn ${turn.turn} failed: ${cutLine(error.message, 200)}`;
  const claim = {
    request: { ...asked, by },
    ...{ prompt, environment },
    deferral: { v: 1, reason: 'retry', detail, not_before: isoTime(atMs) },
  } as const;
  try {
    claimInQueue(next, ownIdentity(), () => claimTurn(next, claim));
  } catch (error) {
    // Another command has repeated it, given it another message, or removed it.
    if (['lost_race', 'not_found'].includes(toZwarmError(error).code)) return;
    throw error;
  }
  // Without a waker it says itself that nothing will wake it.
  await wakeAt(context, store.state, atMs).catch(() => undefined);
}
