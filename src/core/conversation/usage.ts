import type { UsageReport } from '../events.ts';
import type { TokenUsage } from '../session.ts';

/** What usage accounting needs to know of a turn. */
export interface TurnUsage {
  readonly threadId: string | null;
  readonly report: UsageReport | null;
  /** Whether this session saw the thread begin: else the tokens before it are unknown. */
  readonly fresh: boolean;
  /** The thread of which this one began as a copy, with its tokens; else null. */
  readonly copyOf: string | null;
}

function printed(report: UsageReport, base: UsageReport | null): TokenUsage | null {
  const input = report.input - (base?.input ?? 0);
  const cached = report.cachedInput - (base?.cachedInput ?? 0);
  const output = report.output - (base?.output ?? 0);
  // Reasoning was not always reported: its base can be unknown while the others are not.
  const reasoningBase = base === null ? 0 : base.reasoning;
  const reasoning =
    report.reasoning === null || reasoningBase === null ? null : report.reasoning - reasoningBase;
  // A total that fell does not belong to this thread.
  if (Math.min(input, cached, output, reasoning ?? 0) < 0) return null;
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    total_tokens: input + output,
  };
}

/**
 * The tokens of each turn. Agents that report a running total per thread are differenced within the thread; a
 * thread whose beginning this session did not see gives null for its first report, never the total. A copy of a thread
 * goes on from the total of that one.
 */
export function usagePerTurn(turns: readonly TurnUsage[]): (TokenUsage | null)[] {
  const totals = new Map<string, UsageReport | null>();
  return turns.map(({ threadId, report, fresh, copyOf }) => {
    const known = threadId !== null && totals.has(threadId);
    if (threadId !== null && !known) {
      if (copyOf === null && fresh) totals.set(threadId, null);
      const copied = copyOf === null ? undefined : totals.get(copyOf);
      if (copied !== undefined) totals.set(threadId, copied);
    }
    if (report === null) return null;
    if (!report.cumulative) {
      // If a later version counts totals in this thread, their base is unknown.
      if (threadId !== null) totals.delete(threadId);
      return printed(report, null);
    }
    if (threadId === null) return null;
    const hasBase = totals.has(threadId);
    const base = totals.get(threadId) ?? null;
    totals.set(threadId, report);
    return hasBase ? printed(report, base) : null;
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
      reasoning_output_tokens:
        sum.reasoning_output_tokens === null || turn.reasoning_output_tokens === null
          ? null
          : sum.reasoning_output_tokens + turn.reasoning_output_tokens,
      total_tokens: sum.total_tokens + turn.total_tokens,
    };
  }, null);
}
