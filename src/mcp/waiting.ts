import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { StartedTurn } from '../manager/launch/launch-turn.ts';
import { type TurnAnswer, turnAnswer, turnOf } from './answer.ts';
import type { ToolCall } from './tool.ts';

/** Hosts give up a call of which they hear nothing. */
const PROGRESS_SEC = 10;

/** Refuses an agent's own session: its turn would wait for itself. @throws ZwarmError `usage` */
export function requireOther({ manager }: ToolCall, id: SessionId): void {
  if (id !== manager.caller().parent) return;
  throw new ZwarmError('usage', `${id} is your own session`, 'leave it out of the call');
}

/** A wait that can end early. */
interface Wait {
  readonly signal: AbortSignal;
  end(): void;
  endIn(seconds: number): void;
}

/** Reports progress to the client now and from time to time; rejects when the signal aborts or the client is gone. */
async function reportProgress({ progress }: ToolCall, what: string, signal: AbortSignal): Promise<void> {
  for (let seconds = 0; ; seconds += PROGRESS_SEC) {
    await progress(seconds, what);
    await sleep(PROGRESS_SEC * 1000, null, { signal });
  }
}

/**
 * Runs `act`, whose signal aborts with the call or when its time is up, and reports progress meanwhile.
 * @param asked how long to wait, in seconds; undefined for as long as the call may
 */
export async function waitWith(
  call: ToolCall,
  asked: number | undefined,
  what: string,
  act: (wait: Wait) => Promise<unknown>,
): Promise<void> {
  const seconds = Math.min(asked ?? call.longestSec, call.longestSec);
  if (seconds === 0) return;
  // Not AbortSignal.any: the garbage collector takes a signal that nobody else holds.
  const controller = new AbortController();
  const { signal } = controller;
  // Each of many sessions listens to it.
  setMaxListeners(0, signal);
  const end = (): void => controller.abort();
  const endIn = (after: number): void =>
    void sleep(after * 1000, null, { signal }).then(end, () => undefined);
  call.signal.addEventListener('abort', end);
  if (call.signal.aborted) end();
  endIn(seconds);
  void reportProgress(call, what, signal).catch(() => undefined);
  try {
    await act({ signal, end, endIn });
  } finally {
    call.signal.removeEventListener('abort', end);
    end();
  }
}

/**
 * Begins a turn, and answers when it has ended or the time is up.
 * @throws ZwarmError `interrupted` when the client has cancelled the call, or as `begin` does
 */
export async function answerOfNewTurn(
  call: ToolCall,
  begin: () => Promise<StartedTurn>,
  asked: number | undefined,
): Promise<TurnAnswer> {
  const { manager, adviceSec } = call;
  if (call.signal.aborted)
    throw new ZwarmError('interrupted', 'the call was cancelled before anything was begun');
  const { id, turn } = await begin();
  await waitWith(call, asked, `${id} works on turn ${turn}`, ({ signal }) => manager.wait(id, signal, turn));
  const session = await manager.get(id, { turn });
  await call.markSeen(id, turn);
  return turnAnswer(session, turnOf(session, turn), adviceSec);
}
