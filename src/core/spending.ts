import { sumUsage } from './conversation/usage.ts';
import type { TokenUsage } from './session.ts';
import type { UsageRow } from './usage-groups.ts';

/** What one turn of a session used. */
export interface Spent {
  readonly turn: number;
  /** When it began, or null. */
  readonly at: string | null;
  /** When it ended; null while it runs. */
  readonly ended: string | null;
  readonly agent: string;
  /** The model that was asked for, or null: the agent's own choice is not known. */
  readonly model: string | null;
  readonly tokens: TokenUsage | null;
  /** What the agent says that it cost, in US dollars. */
  readonly reported: number | null;
}

/** A turn that ended without telling what it used. */
export interface Unmeasured {
  readonly turn: number;
  readonly ended: string;
}

/** What a million tokens of a model cost, in US dollars; cached ones are part of the input. */
export interface Price {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** By the name of the model, as `-m` takes it. */
export type Prices = ReadonlyMap<string, Price>;

/** A sum in US dollars: null where nothing is known, and `atLeast` where a part is not. */
export interface Cost {
  readonly usd: number | null;
  readonly atLeast: boolean;
}

/** Without what binary fractions add. */
const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6;

function priced({ tokens, model }: Spent, prices: Prices): number | null {
  const price = prices.get(model ?? '');
  if (price === undefined || tokens === null) return null;
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = tokens;
  return ((input - cached) * price.input + cached * price.cachedInput + output * price.output) / 1e6;
}

/** What one turn cost, or null where nobody says it. */
export const costOfTurn = (turn: Spent, prices: Prices): number | null =>
  turn.reported ?? priced(turn, prices);

/** What some turns cost: what their agents say, else what the prices say; nothing is guessed. */
export function costOf(turns: readonly Spent[], prices: Prices): Cost {
  const costs = turns.map((turn) => costOfTurn(turn, prices));
  const known = costs.filter((cost) => cost !== null);
  if (known.length === 0) return { usd: null, atLeast: false };
  const isCut = turns.some(({ tokens, reported }) => reported === null && tokens?.at_least);
  return {
    usd: rounded(known.reduce((sum, cost) => sum + cost, 0)),
    atLeast: known.length < costs.length || isCut,
  };
}

/** The turns of a group, by their sessions. */
export type Group = ReadonlyMap<string, readonly Spent[]>;

/** The sum of a group. */
export function usageRow(key: string | null, group: Group, prices: Prices): UsageRow {
  const turns = [...group.values()].flat();
  const { usd, atLeast } = costOf(turns, prices);
  return {
    key,
    sessions: group.size,
    turns: turns.length,
    token_usage: sumUsage(turns.map(({ tokens }) => tokens)),
    cost_usd: usd,
    cost_at_least: atLeast,
  };
}
