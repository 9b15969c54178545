import * as z from 'zod/mini';
import { amount, decodeOrNull } from '../core/decode.ts';
import type { Price, Prices } from '../core/spending.ts';
import { ownTableIfSound } from './own-table.ts';

const table = z.record(z.string(), z.unknown());
const entry = z.object({ input: amount, cached_input: z.optional(amount), output: amount });

/** One entry of the table, or null where it is none. */
function priceOf(value: unknown): Price | null {
  const known = decodeOrNull(entry, value);
  if (known === null) return null;
  return { input: known.input, cachedInput: known.cached_input ?? known.input, output: known.output };
}

/** The first entry of `[prices."model"]` that cannot be understood, in words; else null. */
export function wrongPrice(value: unknown): string | null {
  const expected = 'input and output in US dollars per million tokens, and cached_input where it differs';
  const entries = decodeOrNull(table, value);
  if (entries === null) return `prices must be tables: [prices."model"] with ${expected}`;
  const wrong = Object.entries(entries).find(([, one]) => priceOf(one) === null);
  return wrong === undefined ? null : `prices.${JSON.stringify(wrong[0])} must have ${expected}`;
}

/** The prices in the user's own file. Those that cannot be understood are left out: `start` and `config` refuse them. */
export async function readPrices(file: string): Promise<Prices> {
  const entries = Object.entries(decodeOrNull(table, await ownTableIfSound(file, 'prices')) ?? {});
  return new Map(
    entries.flatMap(([model, value]) => {
      const price = priceOf(value);
      return price === null ? [] : [[model, price]];
    }),
  );
}
