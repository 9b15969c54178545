import type { ManagerContext } from '../context.ts';
import { budgetsOf, type Payer } from './budgets.ts';

/** Refuses a turn of which a budget is spent; nothing is read where none holds. @throws OverBudget */
export async function requireBudget(context: ManagerContext, payer: Payer): Promise<void> {
  const budgets = await budgetsOf(context, payer);
  if (budgets.length > 0) await (await import('./budget-standings.ts')).requireLeft(context, payer, budgets);
}
