import { setTimeout as sleep } from 'node:timers/promises';
import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { cutText } from '../core/session.ts';
import { isActive } from '../core/status.ts';
import type { StartedTurn } from '../manager/launch/launch-turn.ts';
import { safeLine } from '../render/text/safe-text.ts';
import { type TurnAnswer, turnAnswer } from './answer.ts';
import type { ToolCall } from './tool.ts';

/** Hosts give up a call of which they hear nothing. */
const PROGRESS_SEC = 10;

/** Refuses an agent's own session: its turn would wait for itself. @throws ZwarmError `usage` */
export function requireOther({ manager }: ToolCall, id: SessionId): void {
  if (id !== manager.caller().parent) return;
  throw new ZwarmError('usage', `${id} is your own session`, 'leave it out of the call');
}

/** A wait that can end early. */
export interface Wait {
  readonly signal: AbortSignal;
  end(): void;
  endIn(seconds: number): void;
}

/** What is waited for: some words for it, and the sessions. */
interface Awaited {
  readonly words: string;
  readonly ids: readonly SessionId[];
}

const STEP_CHARS = 80;
/** More would be no line any more. */
const MOST_STEPS = 3;

/** A line about what is waited for, with what the agents do now; one that cannot be read is left out. */
export async function lineOf(
  { manager }: Pick<ToolCall, 'manager'>,
  { words, ids }: Awaited,
): Promise<string> {
  const doing: string[] = [];
  for (const id of ids) {
    const row = await manager.summary(id).catch((error: unknown) => {
      if (error instanceof ZwarmError) return null;
      throw error;
    });
    const step = row?.current_step;
    if (step) doing.push(`${ids.length > 1 ? `${id} ` : ''}${cutText(safeLine(step), STEP_CHARS)}`);
    if (doing.length === MOST_STEPS) break;
  }
  return [words, ...doing].join('; ');
}

/** Reports progress to the client now and from time to time; rejects when the signal aborts or the client is gone. */
async function reportProgress(call: ToolCall, awaited: Awaited, signal: AbortSignal): Promise<void> {
  await call.progress(0, awaited.words);
  for (let seconds = PROGRESS_SEC; ; seconds += PROGRESS_SEC) {
    await sleep(PROGRESS_SEC * 1000, null, { signal });
    const line = await lineOf(call, awaited);
    // Nothing more may come after the answer.
    if (signal.aborted) return;
    await call.progress(seconds, line);
  }
}

/**
 * Runs `act`, whose signal aborts with the call or when its time is up, and reports progress meanwhile.
 * @param asked how long to wait, in seconds; undefined for as long as the call may
 */
export async function waitWith(
  call: ToolCall,
  asked: number | undefined,
  awaited: Awaited,
  act: (wait: Wait) => Promise<unknown>,
): Promise<void> {
  const seconds = Math.min(asked ?? call.longestSec, call.longestSec);
  if (seconds === 0) return;
  // Not AbortSignal.any: the garbage collector takes a signal that nobody else holds.
  const controller = new AbortController();
  const { signal } = controller;
  const end = (): void => controller.abort();
  const endIn = (after: number): void =>
    void sleep(after * 1000, null, { signal }).then(end, () => undefined);
  call.signal.addEventListener('abort', end);
  if (call.signal.aborted) end();
  endIn(seconds);
  void reportProgress(call, awaited, signal).catch(() => undefined);
  try {
    await act({ signal, end, endIn });
  } finally {
    call.signal.removeEventListener('abort', end);
    end();
  }
}

/** Waits until a turn has ended, or the time is up; `more` may end the wait before. */
export function waitForTurn(
  call: ToolCall,
  { id, turn }: Pick<StartedTurn, 'id' | 'turn'>,
  asked: number | undefined,
  more?: (wait: Wait) => Promise<unknown>,
): Promise<void> {
  const awaited = { words: `${id} works on turn ${turn}`, ids: [id] };
  return waitWith(call, asked, awaited, (wait) =>
    Promise.all([call.manager.wait(id, wait.signal, turn).then(wait.end), more?.(wait)]),
  );
}

/** Adds to a hint that the wait was shorter than was asked for, where something still runs after it. */
export function withCut(
  hint: string | null,
  isRunning: boolean,
  { longestSec }: Pick<ToolCall, 'longestSec'>,
  asked: number | undefined,
): string | null {
  // Of a call that is a task instead nothing is waited for.
  if (!isRunning || longestSec === 0 || asked === undefined || asked <= longestSec) return hint;
  const cut = `it waited ${longestSec} s, the longest that one call may, and not ${asked}`;
  return [cut, ...(hint === null ? [] : [hint])].join('; ');
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
  if (call.signal.aborted)
    throw new ZwarmError('interrupted', 'the call was cancelled before anything was begun');
  const begun = await begin();
  const { id, turn } = begun;
  await waitForTurn(call, begun, asked);
  const session = await call.manager.read(id, { turn });
  const answer = turnAnswer(session, turn, await call.manager.budgetLeft(id));
  await call.markSeen(id, turn);
  return { ...answer, hint: withCut(answer.hint, isActive(answer.status), call, asked) };
}
