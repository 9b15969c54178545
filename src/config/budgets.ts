import * as z from 'zod/mini';
import { AMOUNT_FORM, parseAmount } from '../core/amount.ts';
import { decodeOrNull } from '../core/decode.ts';
import type { Budget } from '../core/rules/budget.ts';
import { isTag } from '../core/rules/tags.ts';

const table = z.record(z.string(), z.unknown());
const SCOPES = ['session', 'tree', 'day'] as const;

/** The budgets of the table `[budget]`, of either file; `refuse` gets what is wrong with it, in words. */
export function budgetsOf(value: unknown, refuse: (why: string) => Error): readonly Budget[] {
  const tableOf = (name: string, of: unknown): Record<string, unknown> => {
    const entries = decodeOrNull(table, of);
    if (entries === null) throw refuse(`${name} must be a table: [${name}] with ${AMOUNT_FORM}`);
    return entries;
  };
  const budget = (name: string, of: Budget['of'], tag: string | null, text: unknown): Budget => {
    const amount = typeof text === 'string' ? parseAmount(text) : null;
    if (amount === null) throw refuse(`${name} must be a text: ${AMOUNT_FORM}`);
    return { of, tag, amount };
  };
  const { tags = {}, ...others } = tableOf('budget', value);
  const ofScopes = Object.entries(others).map(([key, text]) => {
    const scope = SCOPES.find((one) => one === key);
    // What is misspelt must not pass for a budget that holds.
    if (scope === undefined)
      throw refuse(`budget has no ${JSON.stringify(key)}: ${SCOPES.join(', ')} or tags`);
    return budget(`budget.${key}`, scope, null, text);
  });
  const ofTags = Object.entries(tableOf('budget.tags', tags)).map(([tag, text]) => {
    if (!isTag(tag)) throw refuse(`budget.tags: ${JSON.stringify(tag)} is not a valid tag`);
    return budget(`budget.tags.${tag}`, 'tag', tag, text);
  });
  return [...ofScopes, ...ofTags];
}
