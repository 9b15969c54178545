import type { SessionId } from '../../core/ids.ts';
import { rootsOf } from '../../core/rules/family.ts';
import { type Spent, usageRow } from '../../core/spending.ts';
import { localDay, parseIso } from '../../core/time.ts';
import { USAGE_GROUPS, type UsageGroup, type UsageRow } from '../../core/usage-groups.ts';
import type { ManagerContext } from '../context.ts';
import { forEachSession } from '../session/each-session.ts';
import { storesOf } from './ls.ts';

/** What is to be counted, and how it is to be grouped. */
export interface UsageOptions {
  readonly by?: UsageGroup | undefined;
  /** Only turns that began at or after this time (ms since the epoch). */
  readonly sinceMs?: number | undefined;
  /** The sessions of all projects. */
  readonly everywhere?: boolean | undefined;
}

/** What sessions used, by group, and all of it. */
export interface Usage {
  readonly by: UsageGroup;
  readonly rows: readonly UsageRow[];
  readonly total: UsageRow;
}

/** A session that used something. */
interface Spender {
  readonly id: SessionId;
  readonly parent: string | null;
  readonly tags: readonly string[];
  readonly spent: readonly Spent[];
}

/** The groups to which a turn belongs: with several tags, several. */
function groupsOf(
  by: UsageGroup,
  { id, tags }: Spender,
  root: string,
  turn: Spent,
): readonly (string | null)[] {
  switch (by) {
    case 'day': {
      const ms = parseIso(turn.at);
      return [ms === null ? null : localDay(ms)];
    }
    case 'agent':
    case 'model':
      return [turn[by]];
    case 'session':
      return [id];
    case 'family':
      return [root];
    case 'tag':
      return tags.length === 0 ? [null] : tags;
  }
}

/** What sessions used; the groups in the order of days, else the largest first. */
export async function usage(
  context: ManagerContext,
  { by = USAGE_GROUPS[0], sinceMs = 0, everywhere }: UsageOptions = {},
): Promise<Usage> {
  const { stores } = await storesOf(context, { everywhere });
  const spenders: Spender[] = [];
  for (const store of stores)
    await forEachSession(store, context.now(), ({ id }, { parent, tags, spent }) => {
      spenders.push({ id, parent, tags, spent: spent.filter(({ at }) => (parseIso(at) ?? 0) >= sinceMs) });
    });
  const prices = await context.loadPrices(context.env);
  const roots = rootsOf(spenders);
  const groups = new Map<string | null, Map<string, Spent[]>>();
  const all = new Map<string, readonly Spent[]>();
  for (const spender of spenders) {
    const { id, spent } = spender;
    if (spent.length > 0) all.set(id, spent);
    for (const turn of spent)
      for (const key of groupsOf(by, spender, roots.get(id) ?? id, turn)) {
        const group = groups.get(key) ?? new Map<string, Spent[]>();
        groups.set(key, group);
        group.set(id, [...(group.get(id) ?? []), turn]);
      }
  }
  const rows = [...groups].map(([key, group]) => usageRow(key, group, prices));
  const total = (row: UsageRow): number => row.token_usage?.total_tokens ?? 0;
  rows.sort((a, b) => (by === 'day' ? (a.key ?? '').localeCompare(b.key ?? '') : total(b) - total(a)));
  return { by, rows, total: usageRow(null, all, prices) };
}
