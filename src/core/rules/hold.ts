import { isoTime, parseIso } from '../time.ts';
import { type Pending, untilWords } from './queue.ts';

/** The failures that concern the whole account of an agent: what waits would fail in the same way. */
const OF_ACCOUNT: readonly string[] = ['usage_limit', 'quota_exceeded', 'login_required', 'connection'];

/** A network comes back by itself: how long until it is tried again. */
const NETWORK_MS = 5 * 60_000;
/** Agents tell times without their seconds. */
const MINUTE_MS = 60_000;

/** Whether a failure holds what waits for the same account of the agent. */
export const holdsAccount = (code: string): boolean => OF_ACCOUNT.includes(code);

/** Until when such a failure holds it; null where somebody has to mend it. */
export function heldUntil(
  { code, retry_at }: { readonly code: string; readonly retry_at: string | null },
  nowMs: number,
): string | null {
  if (code === 'connection') return isoTime(nowMs + NETWORK_MS);
  const ms = parseIso(retry_at);
  return ms === null ? null : isoTime(ms + MINUTE_MS);
}

/** Why nothing is begun with an account. */
export interface Hold {
  readonly agent: string;
  readonly message: string;
  readonly retry_at: string | null;
}

/** Why a turn of that account waits; null once its time has come. `isWoken`: something will start it then. */
export function heldBy({ agent, message, retry_at }: Hold, nowMs: number, isWoken: boolean): Pending | null {
  const until = parseIso(retry_at);
  if (until !== null && until <= nowMs) return null;
  const then = retry_at === null ? 'when that is mended: zwarm queue run' : untilWords(retry_at, isWoken);
  return { reason: 'hold', detail: `${agent}: ${message}; ${then}`, not_before: retry_at };
}

/** Whether a turn that was begun then, and completed, shows that an account works again. */
export const showsItWorks = (startedMs: number | null, { at }: { readonly at: string }): boolean =>
  startedMs !== null && startedMs > (parseIso(at) ?? 0);
