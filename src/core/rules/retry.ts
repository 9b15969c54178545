import { parseIso } from '../time.ts';

/** Which of how many repetitions of a message a turn is; 0 for the first that was given it. */
export interface Retry {
  readonly number: number;
  readonly most: number;
}

/** Of the error of a turn: why it failed, and when the agent said that it may be tried again. */
interface Failure {
  readonly code: string;
  readonly retry_at: string | null;
}

/** The failures that pass by themselves: too many requests, a server that is busy, a network that is away. */
const PASSING: readonly string[] = ['rate_limited', 'overloaded', 'connection'];

/** How long until the first repetition, the second, and all later ones. */
const PAUSES_MS = [30_000, 120_000, 480_000] as const;

/** The next repetition of a message whose turn has failed; null where there is none. */
export function nextRetry(retry: Retry | null, error: Failure | null): Retry | null {
  if (retry === null || retry.number >= retry.most) return null;
  if (error === null || !PASSING.includes(error.code)) return null;
  return { ...retry, number: retry.number + 1 };
}

/** When a repetition may begin (ms since the epoch): when the agent has said, else after a pause that grows. */
export function retryMs({ number }: Retry, { retry_at }: Failure, nowMs: number): number {
  const said = parseIso(retry_at) ?? 0;
  return said > nowMs ? said : nowMs + (PAUSES_MS[number - 1] ?? PAUSES_MS[2]);
}

/** `retry 1 of 3`. */
export const retryWords = ({ number, most }: Retry): string => `retry ${number} of ${most}`;
