import * as z from 'zod/mini';
import { count, lenient } from '../../core/decode.ts';
import type { Tokens, UnnumberedEvent } from '../../core/events.ts';
import { shaped, type Translation } from '../json-lines.ts';
import { cutOff, type Memory } from './memory.ts';

const string = z.string();

const ofModel = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  thinkingTokens: lenient(count),
  costUSD: lenient(z.number()),
});
const byModel = z.record(string, ofModel);

/** Subagents included, unlike `usage`. */
function tokensOf(models: z.infer<typeof byModel>): Tokens {
  const all = Object.values(models);
  const sum = (pick: (model: z.infer<typeof ofModel>) => number | null): number | null =>
    all.reduce<number | null>((total, model) => {
      const own = pick(model);
      return total === null || own === null ? null : total + own;
    }, 0);
  return {
    input: sum((m) => m.inputTokens + m.cacheReadInputTokens + m.cacheCreationInputTokens) ?? 0,
    cachedInput: sum((m) => m.cacheReadInputTokens) ?? 0,
    output: sum((m) => m.outputTokens) ?? 0,
    reasoning: sum((m) => m.thinkingTokens),
    costUsd: sum((m) => m.costUSD),
  };
}

/** Why it ended with work that was not done, although that is no error to it. */
const CUT_SHORT: readonly (string | null)[] = (
  'aborted_streaming aborted_tools api_error budget_exhausted hook_stopped image_error malformed_tool_use_exhausted ' +
  'max_turns model_error prompt_too_long rapid_refill_breaker structured_output_retry_exhausted tool_deferred ' +
  'tool_deferred_unavailable turn_setup_failed'
).split(' ');

/** The last word of the program, which may say success of a turn that was cut off. */
export const result = shaped(
  z.object({
    subtype: string,
    is_error: z.boolean(),
    result: lenient(string),
    structured_output: z.optional(z.unknown()),
    errors: lenient(z.array(string)),
    terminal_reason: lenient(string),
    modelUsage: lenient(byModel),
    model_usage_since_last_result: lenient(byModel),
  }),
  (line, memory: Memory): Translation => {
    memory.ended = true;
    const { subtype, is_error: failed, errors, terminal_reason: reason } = line;
    const { modelUsage: total, model_usage_since_last_result: since } = line;
    // From 2.1.328 on the total is that of the whole conversation, also before it was resumed.
    const counted = since ?? total;
    const events: UnnumberedEvent[] = [];
    if (counted !== null) {
      const of = since === null ? 'process' : 'since_last';
      events.push({ type: 'usage', usage: { ...tokensOf(counted), of } });
    }
    // An answer of a schema, which the model gives to a tool: here it is a text, too.
    if (line.structured_output !== undefined && line.result !== null)
      events.push({ type: 'message', text: line.result });
    const awaited = memory.calls.firstAwaited();
    const cut =
      memory.cut ??
      (awaited !== null ? cutOff(awaited) : null) ??
      (CUT_SHORT.includes(reason)
        ? `it was ended before it was done: ${reason?.replaceAll('_', ' ')}`
        : null);
    if (!failed)
      return [...events, cut === null ? { type: 'turn_completed' } : { type: 'turn_failed', message: cut }];
    // Of an interruption it says only something for its makers.
    const aborted = reason?.startsWith('aborted') ? 'it was interrupted' : null;
    const message = aborted ?? (line.result || errors?.join('; ') || subtype);
    return [...events, { type: 'turn_failed', message }];
  },
);
