import { setMaxListeners } from 'node:events';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { isFinal, type TurnStatus } from '../core/status.ts';
import type { ToolCall } from './tool.ts';

/** Hosts give up calls of which they hear nothing. */
const PROGRESS_SEC = 10;
/** What is said last often comes a moment before the end. */
const LAST_WORDS_SEC = 2;

/** The seconds that a call waits, of which so many were asked for. */
export function secondsOf({ longestSec }: ToolCall, asked: number | undefined): number {
  return Math.min(asked ?? longestSec, longestSec);
}

/** A call that its client has taken back begins nothing. @throws ZwarmError `interrupted` */
export function requireWanted({ signal }: ToolCall): void {
  if (!signal.aborted) return;
  throw new ZwarmError('interrupted', 'the call was taken back before anything was begun');
}

/** An agent that waits for its own session waits for itself. @throws ZwarmError `usage` */
export function requireOther({ self }: ToolCall, id: SessionId): void {
  if (id === self)
    throw new ZwarmError('usage', `${id} is your own session`, 'leave it out: it goes on while you work');
}

/** A signal that aborts with another one, when it is told to, or after a time. */
function limited(signal: AbortSignal, seconds?: number): { signal: AbortSignal; end(): void } {
  // By hand: a signal made by AbortSignal.any of one that nobody else holds is lost to the garbage collector.
  const controller = new AbortController();
  // Each session of a swarm listens to it.
  setMaxListeners(0, controller.signal);
  const end = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    controller.abort();
  };
  const timer = seconds === undefined ? undefined : setTimeout(end, seconds * 1000);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return { signal: controller.signal, end };
}

/** Tells the client from time to time that something is waited for. Stops when the returned function is called. */
function tellProgress({ progress }: ToolCall, what: string): () => void {
  if (progress === null) return () => undefined;
  let seconds = 0;
  const tell = (): void => {
    // A client that has gone away needs to be told no more.
    progress(seconds, what).catch(() => clearInterval(timer));
    seconds += PROGRESS_SEC;
  };
  const timer = setInterval(tell, PROGRESS_SEC * 1000);
  tell();
  return () => clearInterval(timer);
}

/** Waits with `act`, at most so many seconds and not longer than the client does, and tells it so. */
export async function waitWith<T>(
  call: ToolCall,
  seconds: number,
  what: string,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = limited(call.signal, seconds);
  const stop = tellProgress(call, what);
  try {
    return await act(limit.signal);
  } finally {
    stop();
    limit.end();
  }
}

/** Waits for the end of a turn, at most so many seconds; how it stands then. */
export function waitForTurn(
  call: ToolCall,
  id: SessionId,
  turn: number,
  seconds: number,
): Promise<TurnStatus> {
  return waitWith(call, seconds, `${id} works on turn ${turn}`, (signal) =>
    call.manager.wait(id, signal, turn),
  );
}

/** Resolves when the agent has said more in a turn than so many messages. */
async function moreSaid(
  { manager }: ToolCall,
  id: SessionId,
  turn: number,
  known: number,
  signal: AbortSignal,
): Promise<void> {
  const said = new Set<number>();
  for await (const { type, step } of manager.followSteps(id, { follow: true, turn, signal })) {
    if (type === 'message') said.add(step);
    if (said.size > known) return;
  }
}

/**
 * Waits until a turn has ended or its agent has said more than the client knows of (`known` messages), at most so many
 * seconds.
 */
export async function waitForNews(
  call: ToolCall,
  id: SessionId,
  turn: number,
  known: number,
  seconds: number,
): Promise<void> {
  await waitWith(call, seconds, `${id} works on turn ${turn}`, async (signal) => {
    const enough = limited(signal);
    const rest = call.manager.wait(id, enough.signal, turn).then(enough.end);
    const said = moreSaid(call, id, turn, known, enough.signal).then(async () => {
      const lastWords = limited(enough.signal, LAST_WORDS_SEC);
      await call.manager.wait(id, lastWords.signal, turn).finally(lastWords.end);
      enough.end();
    });
    await Promise.all([rest, said]).finally(enough.end);
  });
}

/** One that cannot be waited for any more is waited for no longer: the answer tells what became of it. */
function orGone(error: unknown): true {
  if (error instanceof ZwarmError) return true;
  throw error;
}

/** Waits until all of some sessions (or, with `any`, one of them) are at rest, at most so many seconds. */
export async function waitForSessions(
  call: ToolCall,
  ids: readonly SessionId[],
  any: boolean,
  seconds: number,
): Promise<void> {
  await waitWith(call, seconds, `waiting for ${any ? 'one of ' : ''}${ids.join(', ')}`, async (signal) => {
    const enough = limited(signal);
    const each = ids.map(async (id) => {
      const isOver = await call.manager.wait(id, enough.signal).then(isFinal, orGone);
      if (any && isOver) enough.end();
    });
    try {
      await Promise.all(each);
    } finally {
      enough.end();
    }
  });
}
