import { isAmount } from '../../core/amount.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { Budget } from '../../core/rules/budget.ts';
import type { SessionRecord } from '../../store/records.ts';
import type { ManagerContext, Store } from '../context.ts';

/** Whose next turn is to be paid: a session, or one that is about to be created. */
export interface Payer {
  readonly store: Store;
  readonly id: SessionId | null;
  readonly record: SessionRecord;
}

/** A budget is spent, or cannot be judged. */
export class OverBudget extends ZwarmError {
  /** When a later day has a budget of its own (ms since the epoch); null where time does not help. */
  readonly untilMs: number | null;

  constructor(message: string, hint: string, untilMs: number | null) {
    super('over_budget', message, hint);
    this.untilMs = untilMs;
  }
}

/** The budgets that hold for a session: its own in place of the usual one. */
export async function budgetsOf(
  context: ManagerContext,
  { store, record }: Payer,
): Promise<readonly Budget[]> {
  const { tags, parent, orchestrates, budget: own } = record;
  const place = { env: context.env, projectRoot: store.projectRoot };
  const { budgets } = await context.loadSettings(place);
  const holds = ({ of, tag }: Budget): boolean => {
    if (of === 'session') return own === null;
    if (of === 'tag') return tags.includes(tag ?? '');
    return of === 'day' || orchestrates || parent !== null;
  };
  const mine: Budget[] = isAmount(own) ? [{ of: 'session', tag: null, amount: own }] : [];
  return [...mine, ...budgets.filter(holds)];
}
