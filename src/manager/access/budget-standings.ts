import { ZwarmError } from '../../core/errors.ts';
import {
  type Budget,
  budgetLeftText,
  isOver,
  overWords,
  type Standing,
  standingOf,
  type Used,
} from '../../core/rules/budget.ts';
import { rootsOf } from '../../core/rules/family.ts';
import { localDay, parseIso } from '../../core/time.ts';
import type { Listed } from '../../store/summary.ts';
import type { ManagerContext, Session } from '../context.ts';
import { readRecordOrDamaged } from '../session/current-turn.ts';
import { forEachSession } from '../session/each-session.ts';
import { computeListed } from '../session/session-summary.ts';
import { budgetsOf, OverBudget, type Payer } from './budgets.ts';

/** A session and what its own turns used. */
interface Spender extends Pick<Listed, 'parent' | 'tags' | 'spent' | 'unmeasured'> {
  readonly id: string;
}

/** The sessions that may have spent of these budgets: a budget of the session alone reads no other. */
async function spendersOf(context: ManagerContext, { store, id }: Payer, budgets: readonly Budget[]) {
  const nowMs = context.now();
  const spenders: Spender[] = [];
  if (budgets.some(({ of }) => of !== 'session'))
    await forEachSession(store, nowMs, ({ id }, { parent, tags, spent, unmeasured }) => {
      spenders.push({ id, parent, tags, spent, unmeasured });
    });
  else if (id !== null) {
    const listed = await computeListed({ store, id }, nowMs);
    if (listed !== null) spenders.push({ ...listed, id });
  }
  return spenders;
}

/** What has been spent of a budget: by turns that have ended, of which those of the day count that ended today. */
function usedOf(budget: Budget, { id, record }: Payer, spenders: readonly Spender[], nowMs: number): Used {
  const { of, tag } = budget;
  const roots = of === 'tree' ? rootsOf(spenders) : new Map<string, string>();
  const root = roots.get(record.parent ?? id ?? '');
  const among = spenders.filter((one) => {
    if (of === 'session') return one.id === id;
    if (of === 'tag') return one.tags.includes(tag ?? '');
    return of === 'day' || (root !== undefined && roots.get(one.id) === root);
  });
  const counts = ({ ended }: { readonly ended: string | null }): boolean => {
    const ms = parseIso(ended);
    return ms !== null && (of !== 'day' || localDay(ms) === localDay(nowMs));
  };
  return {
    spent: among.flatMap(({ spent }) => spent.filter(counts)),
    unmeasured: among.flatMap(({ unmeasured }) => unmeasured.filter(counts)).length,
  };
}

async function standingsOf(
  context: ManagerContext,
  payer: Payer,
  budgets: readonly Budget[],
): Promise<readonly Standing[]> {
  const spenders = await spendersOf(context, payer, budgets);
  const prices = await payer.store.prices();
  return budgets.map((budget) => standingOf(budget, usedOf(budget, payer, spenders, context.now()), prices));
}

/** The beginning of the next day on the clock of this machine. */
function tomorrow(nowMs: number): number {
  const day = new Date(nowMs);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}

/** Refuses a turn where one of these budgets is spent, or cannot be judged. @throws OverBudget */
export async function requireLeft(
  context: ManagerContext,
  payer: Payer,
  budgets: readonly Budget[],
): Promise<void> {
  const over = (await standingsOf(context, payer, budgets)).filter(isOver);
  // The one that no later day cures.
  const worst = over.find(({ budget }) => budget.of !== 'day') ?? over[0];
  if (worst === undefined) return;
  const { message, hint } = overWords(worst);
  const untilMs = worst.budget.of === 'day' ? tomorrow(context.now()) : null;
  throw new OverBudget(message, hint.replace(/\bID\b/, payer.id ?? 'ID'), untilMs);
}

/** What is left of the budgets of a session, in words, or why that is not known; null where none holds. */
export async function budgetLeft(context: ManagerContext, session: Session): Promise<string | null> {
  try {
    const record = await readRecordOrDamaged(session);
    const payer = { ...session, record };
    const budgets = await budgetsOf(context, payer);
    if (budgets.length === 0) return null;
    return (await standingsOf(context, payer, budgets)).map(budgetLeftText).join('; ');
  } catch (error) {
    // Whatever is told besides must not be lost.
    if (error instanceof ZwarmError) return `unknown: ${error.message}`;
    throw error;
  }
}
