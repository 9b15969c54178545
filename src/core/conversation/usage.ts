import type { Tokens } from '../events.ts';
import type { TokenUsage } from '../session.ts';
import type { TurnTokens } from './turn-tokens.ts';

/** What usage accounting needs to know of a turn. */
export interface TurnUsage {
  readonly threadId: string | null;
  readonly tokens: TurnTokens | null;
  /** Whether this session saw the thread begin: else the tokens before it are unknown. */
  readonly fresh: boolean;
  /** The thread of which this one began as a copy, with its tokens; else null. */
  readonly copyOf: string | null;
}

/** The sum of two counts, of which either may be unknown. */
const plus = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);

const NOTHING: Tokens = { input: 0, cachedInput: 0, output: 0, reasoning: 0, costUsd: null };

function printed(report: TurnTokens, base: Tokens): TokenUsage | null {
  const input = report.input - base.input;
  const cached = report.cachedInput - base.cachedInput;
  const output = report.output - base.output;
  // Reasoning was not always reported: its base can be unknown while the others are not.
  const reasoning = plus(report.reasoning, base.reasoning === null ? null : -base.reasoning);
  // A total that fell does not belong to this thread.
  if (Math.min(input, cached, output, reasoning ?? 0) < 0) return null;
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    total_tokens: input + output,
    at_least: report.partial,
  };
}

/**
 * The tokens of each turn: running totals are differenced within their thread, and a copy goes on from the total of its
 * original. A thread whose beginning this session did not see gives null for its first report, never the total.
 */
export function usagePerTurn(turns: readonly TurnUsage[]): (TokenUsage | null)[] {
  const totals = new Map<string, Tokens>();
  return turns.map(({ threadId, tokens, fresh, copyOf }) => {
    const before = copyOf === null ? (fresh ? NOTHING : undefined) : totals.get(copyOf);
    if (threadId !== null && before !== undefined && !totals.has(threadId)) totals.set(threadId, before);
    if (tokens === null) return null;
    if (!tokens.cumulative) {
      // If a later version counts totals in this thread, their base is unknown.
      if (threadId !== null) totals.delete(threadId);
      return printed(tokens, NOTHING);
    }
    if (threadId === null) return null;
    const base = totals.get(threadId);
    totals.set(threadId, tokens);
    return base === undefined ? null : printed(tokens, base);
  });
}

/** The sum of what is known, or null before the first report. */
export function sumUsage(turns: readonly (TokenUsage | null)[]): TokenUsage | null {
  return turns.reduce((sum, turn) => {
    if (sum === null || turn === null) return sum ?? turn;
    return {
      input_tokens: sum.input_tokens + turn.input_tokens,
      cached_input_tokens: sum.cached_input_tokens + turn.cached_input_tokens,
      output_tokens: sum.output_tokens + turn.output_tokens,
      reasoning_output_tokens: plus(sum.reasoning_output_tokens, turn.reasoning_output_tokens),
      total_tokens: sum.total_tokens + turn.total_tokens,
      at_least: sum.at_least || turn.at_least,
    };
  }, null);
}
