import { cutFailure } from '../core/session.ts';
import type { Explanation } from './agent.ts';

/** A wording of an agent, the code for it, and what to do about it; in a hint `ID` stands for the id of the session. */
export type Rule = readonly [match: RegExp, code: string, hint: string];

/** How a hint ends after which the session goes on. */
export const THEN_CONTINUE = 'then continue with: zwarm inject ID "…"';

/** The same turn may succeed later without any change. */
const RETRYABLE = ['usage_limit', 'rate_limited', 'thread_busy', 'overloaded', 'connection'];

/** What an agent said of its failure, by the first rule that fits; `otherwise` is the hint where none does. */
export function explainBy(rules: readonly Rule[], said: string, otherwise: string): Explanation {
  const message = cutFailure(said);
  const [, code, hint] = rules.find(([match]) => match.test(message)) ?? [null, 'agent_failed', otherwise];
  return { code, message, hint, retryable: RETRYABLE.includes(code) };
}
