import type { TokenUsage } from '../core/session.ts';
import type { UsageRow } from '../core/usage-groups.ts';
import type { Style } from './style.ts';
import { type Column, renderTable } from './table.ts';
import { safeLine } from './text/safe-text.ts';
import { shortCount } from './text/units.ts';

/** What is to be shown of a usage. */
interface Used {
  readonly by: string;
  readonly rows: readonly UsageRow[];
  readonly total: UsageRow;
}

/** A cost in US dollars: `$1.25`, `≥ $1.25` where a part is not known, `-` where nothing is. */
export function costText({
  cost_usd: usd,
  cost_at_least: atLeast,
}: Pick<UsageRow, 'cost_usd' | 'cost_at_least'>) {
  if (usd === null) return '-';
  const shown = usd > 0 && usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2);
  return `${atLeast ? '≥ ' : ''}$${shown}`;
}

/** `86.9k tokens`, `≥ 86.9k tokens` where some of them were not counted. */
export function tokensText({ total_tokens: total, at_least: atLeast }: TokenUsage): string {
  return `${atLeast ? '≥ ' : ''}${shortCount(total)} tokens`;
}

/** One group on a line for programs. */
export function usageLine({ key, sessions, turns, token_usage: usage, ...cost }: UsageRow): string {
  const counts = [usage?.input_tokens, usage?.cached_input_tokens, usage?.output_tokens];
  const words = [key === null ? '-' : safeLine(key), sessions, turns, ...counts.map((count) => count ?? 0)];
  return [...words, cost.cost_usd ?? ''].join('\t');
}

/** The groups as a table, with the total below. */
export function renderUsage({ by, rows, total }: Used, style: Style): string {
  const all = [...rows, total];
  const count = (
    head: string,
    pick: (row: UsageRow) => number | undefined,
    dispensable?: number,
  ): Column => ({
    head,
    cells: all.map((row) => shortCount(pick(row) ?? 0)),
    align: 'right',
    ...(dispensable !== undefined && { dispensable }),
  });
  return renderTable(
    [
      {
        head: by.toUpperCase(),
        cells: [...rows.map(({ key }) => (key === null ? '-' : safeLine(key))), 'total'],
      },
      count('SESSIONS', ({ sessions }) => sessions, 3),
      count('TURNS', ({ turns }) => turns, 4),
      count('IN', ({ token_usage: usage }) => usage?.input_tokens),
      count('CACHED', ({ token_usage: usage }) => usage?.cached_input_tokens, 2),
      count('OUT', ({ token_usage: usage }) => usage?.output_tokens),
      { head: 'COST', cells: all.map(costText) },
    ],
    style,
  );
}
