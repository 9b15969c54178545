import type { TokenUsage } from './session.ts';

/** What turns can have in common. */
export const USAGE_GROUPS = ['day', 'agent', 'model', 'session', 'family', 'tag'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** What sessions used, in one group: the JSON contract of `docs/formats.md`. */
export interface UsageRow {
  /** What its turns have in common; null for those that have none of it. */
  readonly key: string | null;
  readonly sessions: number;
  readonly turns: number;
  readonly token_usage: TokenUsage | null;
  readonly cost_usd: number | null;
  readonly cost_at_least: boolean;
}
