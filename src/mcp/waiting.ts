import { setMaxListeners } from 'node:events';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { isFinal } from '../core/status.ts';
import type { StartedTurn } from '../manager/launch/launch-turn.ts';
import { type TurnAnswer, turnAnswer, turnOf } from './answer.ts';
import type { ToolCall } from './tool.ts';

/** Hosts give up a call of which they hear nothing. */
const PROGRESS_SEC = 10;
/** The last message often comes a moment before the end: one call then reports both. */
const END_AFTER_MESSAGE_SEC = 2;

/** How many seconds a call waits that was asked to wait this long; as long as it may where it was not asked. */
export function secondsOf({ longestSec }: ToolCall, asked: number | undefined): number {
  return Math.min(asked ?? longestSec, longestSec);
}

/** Refuses to begin anything for a call that its client has cancelled. @throws ZwarmError `interrupted` */
export function requireWanted({ signal }: ToolCall): void {
  if (signal.aborted) throw new ZwarmError('interrupted', 'the call was cancelled before anything was begun');
}

/** Refuses an agent's own session: its turn would wait for itself. @throws ZwarmError `usage` */
export function requireOther({ self }: ToolCall, id: SessionId): void {
  if (id === self) throw new ZwarmError('usage', `${id} is your own session`, 'leave it out of the call');
}

/** A signal that aborts together with another one, by `end`, or after a time. */
function limited(signal: AbortSignal, seconds?: number): { signal: AbortSignal; end(): void } {
  // Not AbortSignal.any: the garbage collector takes a signal that nobody else holds.
  const controller = new AbortController();
  // Each of many sessions listens to it.
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

/** Reports progress to the client now and from time to time, until the returned function is called. */
function reportProgress({ progress }: ToolCall, what: string): () => void {
  if (progress === null) return () => undefined;
  let seconds = 0;
  const report = (): void => {
    // A client that has gone away needs no more reports.
    progress(seconds, what).catch(() => clearInterval(timer));
    seconds += PROGRESS_SEC;
  };
  const timer = setInterval(report, PROGRESS_SEC * 1000);
  report();
  return () => clearInterval(timer);
}

/** Runs `act`, whose signal aborts after some seconds or with the call, and reports progress meanwhile. */
async function waitWith<T>(
  call: ToolCall,
  seconds: number,
  what: string,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = limited(call.signal, seconds);
  const stop = reportProgress(call, what);
  try {
    return await act(limit.signal);
  } finally {
    stop();
    limit.end();
  }
}

/** The answer of a turn that this call has begun, waited for at most so many seconds. */
export async function answerOfBegun(
  call: ToolCall,
  { id, turn }: StartedTurn,
  seconds: number,
): Promise<TurnAnswer> {
  const { manager, adviceSec } = call;
  if (seconds > 0)
    await waitWith(call, seconds, `${id} works on turn ${turn}`, (signal) => manager.wait(id, signal, turn));
  const session = await manager.get(id, { turn });
  await call.markSeen(id, turn);
  return turnAnswer(session, turnOf(session, turn), adviceSec);
}

/** Resolves when a turn has more messages of its agent than `known`, or when it has ended. */
async function untilMoreMessages(
  { manager }: ToolCall,
  { id, turn, known }: KnownTurn,
  signal: AbortSignal,
): Promise<void> {
  const messages = new Set<number>();
  for await (const { type, step } of manager.followSteps(id, { follow: true, turn, signal })) {
    if (type === 'message') messages.add(step);
    if (messages.size > known) return;
  }
}

/** A turn, and the number of its messages that the client knows. */
export interface KnownTurn {
  readonly id: SessionId;
  readonly turn: number;
  readonly known: number;
}

/** Waits at most so many seconds until a turn has ended or has messages that the client does not know. */
export async function waitForNews(call: ToolCall, of: KnownTurn, seconds: number): Promise<void> {
  const { id, turn } = of;
  await waitWith(call, seconds, `${id} works on turn ${turn}`, async (signal) => {
    const enough = limited(signal);
    const ended = call.manager.wait(id, enough.signal, turn).then(enough.end);
    const spoke = untilMoreMessages(call, of, enough.signal).then(async () => {
      const end = limited(enough.signal, END_AFTER_MESSAGE_SEC);
      await call.manager.wait(id, end.signal, turn).finally(end.end);
      enough.end();
    });
    await Promise.all([ended, spoke]).finally(enough.end);
  });
}

/** A session that cannot be waited for counts as ended: the answer says what became of it. */
function orGone(error: unknown): true {
  if (error instanceof ZwarmError) return true;
  throw error;
}

/** Waits at most so many seconds until all of some sessions have ended or, with `any`, one of them. */
export async function waitForSessions(
  call: ToolCall,
  ids: readonly SessionId[],
  any: boolean,
  seconds: number,
): Promise<void> {
  await waitWith(call, seconds, `waiting for ${any ? 'one of ' : ''}${ids.join(', ')}`, async (signal) => {
    const enough = limited(signal);
    const each = ids.map(async (id) => {
      const hasEnded = await call.manager.wait(id, enough.signal).then(isFinal, orGone);
      if (any && hasEnded) enough.end();
    });
    await Promise.all(each).finally(enough.end);
  });
}
