import { safeText } from '../render/safe-text.ts';
import type { Verb } from './context.ts';
import type { Outcome } from './each.ts';

/** Says on stderr which of several arguments failed, and why. */
export function reportErrors(verb: Verb, outcomes: readonly Outcome<unknown>[]): void {
  for (const outcome of outcomes) {
    if (!('error' in outcome)) continue;
    const { message, hint } = outcome.error;
    const advice = hint === null ? '' : `hint: ${safeText(hint)}\n`;
    verb.context.stderr.write(`zwarm: ${safeText(message)}\n${advice}`);
  }
}
