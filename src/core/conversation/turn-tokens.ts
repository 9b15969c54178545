import type { Tokens, UsageReport } from '../events.ts';

/** The tokens of one turn, as its agent reported them. */
export interface TurnTokens extends Tokens {
  /** They are a running total of the thread: those of the turn are the difference. */
  readonly cumulative: boolean;
  /** The turn was cut off before their sum was reported: they are at least so many. */
  readonly partial: boolean;
}

/** Adds up the reports of one turn as they come. */
export interface TokenCounter {
  add(report: UsageReport): void;
  /** Those so far, or null before the first report. */
  result(): TurnTokens | null;
}

/** The sum of two counts, of which either may be unknown. */
const plus = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** The sum of two counts of tokens. */
export function sumTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    cachedInput: a.cachedInput + b.cachedInput,
    output: a.output + b.output,
    reasoning: plus(a.reasoning, b.reasoning),
    costUsd: plus(a.costUsd, b.costUsd),
  };
}

/** The larger of each: a report of a call that was made while it ran is followed by a fuller one. */
function largest(a: Tokens, b: Tokens): Tokens {
  const more = (x: number | null, y: number | null) => (x === null || y === null ? (x ?? y) : Math.max(x, y));
  return {
    input: Math.max(a.input, b.input),
    cachedInput: Math.max(a.cachedInput, b.cachedInput),
    output: Math.max(a.output, b.output),
    reasoning: more(a.reasoning, b.reasoning),
    costUsd: more(a.costUsd, b.costUsd),
  };
}

/** A total includes the calls before it; those after it are added. */
export function createTokenCounter(): TokenCounter {
  let total: Tokens | null = null;
  let cumulative = false;
  const calls = new Map<string, Tokens>();
  return {
    add({ of, ...tokens }) {
      if (typeof of === 'object') {
        const before = calls.get(of.call);
        calls.set(of.call, before === undefined ? tokens : largest(before, tokens));
        return;
      }
      calls.clear();
      cumulative = of === 'thread';
      total = of === 'since_last' && total !== null ? sumTokens(total, tokens) : tokens;
    },
    result() {
      const parts = [...(total === null ? [] : [total]), ...calls.values()];
      if (parts.length === 0) return null;
      return { ...parts.reduce(sumTokens), cumulative, partial: calls.size > 0 };
    },
  };
}
