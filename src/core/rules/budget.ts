import type { Amount } from '../amount.ts';
import { sumUsage } from '../conversation/usage.ts';
import { costOfTurn, type Prices, type Spent } from '../spending.ts';

/** What may be spent in a session, by the sessions with a tag, by an orchestrator with all that it started, or in a day. */
export interface Budget {
  readonly of: 'session' | 'tag' | 'tree' | 'day';
  /** Of a tag: which one. */
  readonly tag: string | null;
  readonly amount: Amount;
}

/** What some turns used that have ended, and how many of them did not tell. */
export interface Used {
  readonly spent: readonly Spent[];
  readonly unmeasured: number;
}

/** A budget, and what was spent of it. */
export interface Standing {
  readonly budget: Budget;
  /** Null where the cost of `unpriced` is not known. */
  readonly spent: number | null;
  /** Whether something was spent besides that is not known. */
  readonly atLeast: boolean;
  readonly unpriced: Spent | null;
}

/** What was spent of a budget. Money is never guessed: a turn without a known cost leaves the sum unknown. */
export function standingOf(budget: Budget, { spent, unmeasured }: Used, prices: Prices): Standing {
  const sum = sumUsage(spent.map(({ tokens }) => tokens));
  const atLeast = unmeasured > 0 || sum?.at_least === true;
  if (budget.amount.unit === 'tokens')
    return { budget, spent: sum?.total_tokens ?? 0, atLeast, unpriced: null };
  const costs = spent.map((turn) => costOfTurn(turn, prices));
  const unpriced = spent[costs.indexOf(null)] ?? null;
  const usd = costs.reduce<number>((total, cost) => total + (cost ?? 0), 0);
  return { budget, spent: unpriced === null ? usd : null, atLeast, unpriced };
}

/** Whether nothing may be begun any more: all was spent, or nobody can tell. */
export const isOver = ({ budget, spent }: Standing): boolean => spent === null || spent >= budget.amount.most;

/** `1.25M`, `500k`, `812`; `$5.50`. */
function inUnit(unit: Amount['unit'], amount: number): string {
  if (unit === 'usd') return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2).replace(/\.00$/, '')}`;
  const short = (size: number, letter: string): string => `${Number((amount / size).toFixed(2))}${letter}`;
  return amount >= 1e6 ? short(1e6, 'M') : amount >= 1e3 ? short(1e3, 'k') : String(amount);
}

function where({ of, tag }: Budget): string {
  switch (of) {
    case 'session':
      return 'in this session';
    case 'tag':
      return `with the tag ${tag}`;
    case 'tree':
      return 'in this tree of sessions';
    case 'day':
      return 'today in this project';
  }
}

const UNTOLD = 'some turns did not tell all that they used';

function whyUnknown({ unpriced }: Standing): string {
  const model = unpriced?.model ?? null;
  return `a turn of ${unpriced?.agent ?? 'an agent'} has no known cost: ${model === null ? 'its model was the choice of the agent' : `${model} has no price`}`;
}

/** What is left of a budget: `tokens: 1.2M of 2M left in this session`. */
export function budgetLeftText(standing: Standing): string {
  const { budget, spent, atLeast } = standing;
  const { unit, most } = budget.amount;
  const name = unit === 'usd' ? 'money' : unit;
  const all = inUnit(unit, most);
  if (spent === null)
    return `${name}: unknown how much of ${all} is left ${where(budget)}: ${whyUnknown(standing)}`;
  const left = `${inUnit(unit, Math.max(0, most - spent))} of ${all} left ${where(budget)}`;
  return `${name}: ${atLeast ? 'at most ' : ''}${left}${atLeast ? ` (${UNTOLD})` : ''}`;
}

/** Why no turn may begin, and what to type; in the hint `ID` stands for the id of the session. */
export function overWords(standing: Standing): { readonly message: string; readonly hint: string } {
  const { budget, spent } = standing;
  const { unit, most } = budget.amount;
  const all = `${inUnit(unit, most)}${unit === 'tokens' ? ' tokens' : ''}`;
  if (spent === null)
    return {
      message: `a budget of ${all} ${where(budget)} cannot be judged: ${whyUnknown(standing)}`,
      hint: 'add the price of the model to your configuration, as [prices."MODEL"], or set the budget in tokens',
    };
  const message = `the budget is spent: ${inUnit(unit, spent)} of ${all} ${where(budget)}`;
  const raise = `raise it in the configuration ([budget${budget.of === 'tag' ? '.tags' : ''}])`;
  const hints = {
    session: `go on in a copy, whose budget is new: zwarm fork ID "go on"; or ${raise}`,
    tag: raise,
    tree: raise,
    day: `go on tomorrow, or ${raise}`,
  };
  return { message, hint: hints[budget.of] };
}
