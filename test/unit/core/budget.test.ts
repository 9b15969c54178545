import { expect, test } from 'vitest';
import { parseAmount } from '../../../src/core/amount.ts';
import { budgetLeftText, isOver, standingOf } from '../../../src/core/rules/budget.ts';
import { nextRetry, retryMs } from '../../../src/core/rules/retry.ts';
import type { Spent } from '../../../src/core/spending.ts';

test.each([
  ['812', 'tokens', 812],
  ['500k', 'tokens', 500_000],
  ['1.5M', 'tokens', 1_500_000],
  ['$5', 'usd', 5],
  ['$ 5.25', 'usd', 5.25],
  ['5.50 USD', 'usd', 5.5],
] as const)('%s is an amount', (text, unit, most) => {
  expect(parseAmount(text)).toEqual({ unit, most });
});

test.each(['', '0', '$0', '-5', '5€', '2MB', '$2M', '2 M', 'USD', '5usd', '1e9', '٣'])(
  '%j is none',
  (text) => {
    expect(parseAmount(text)).toBeNull();
  },
);

const tokensOf = (input: number, at_least = false) => ({
  ...{ input_tokens: input, cached_input_tokens: 0, output_tokens: 100, reasoning_output_tokens: null },
  ...{ total_tokens: input + 100, at_least },
});
const turn = (more: Partial<Spent> = {}): Spent => ({
  ...{ turn: 1, at: null, ended: '2030-01-01T00:00:00.000Z', agent: 'codex', model: 'm' },
  ...{ tokens: tokensOf(900), reported: null },
  ...more,
});
const standing = (text: string, spent: readonly Spent[], unmeasured = 0) =>
  standingOf(
    { of: 'session', tag: null, amount: parseAmount(text) ?? { unit: 'tokens', most: 0 } },
    { spent, unmeasured },
    new Map([['m', { input: 100, cachedInput: 100, output: 100 }]]),
  );

test.each<[budget: string, spent: readonly Spent[], unmeasured: number, over: boolean, left: string]>([
  ['2k', [], 0, false, 'tokens: 2k of 2k left in this session'],
  ['2k', [turn()], 0, false, 'tokens: 1k of 2k left in this session'],
  ['2k', [turn(), turn()], 0, true, 'tokens: 0 of 2k left in this session'],
  [
    '2k',
    [turn()],
    1,
    false,
    'tokens: at most 1k of 2k left in this session (some turns did not tell all that they used)',
  ],
  [
    '2k',
    [turn({ tokens: tokensOf(900, true) })],
    0,
    false,
    'tokens: at most 1k of 2k left in this session (some turns did not tell all that they used)',
  ],
  ['$1', [turn()], 0, false, 'money: $0.90 of $1 left in this session'],
  ['$1', [turn({ model: null, tokens: null, reported: 1 })], 0, true, 'money: $0 of $1 left in this session'],
  [
    '$1',
    [turn(), turn({ model: 'x' })],
    0,
    true,
    'money: unknown how much of $1 is left in this session: a turn of codex has no known cost: x has no price',
  ],
  [
    '$1',
    [turn({ model: null })],
    0,
    true,
    'money: unknown how much of $1 is left in this session: a turn of codex has no known cost: its model was the choice of the agent',
  ],
])('of %s, after %j and %i turns that told nothing', (budget, spent, unmeasured, over, left) => {
  const found = standing(budget, spent, unmeasured);
  expect([isOver(found), budgetLeftText(found)]).toEqual([over, left]);
});

test('a message is repeated where the failure passes, so often, and later each time', () => {
  const at = (code: string, number: number) =>
    nextRetry({ number, most: 4 }, { code, retry_at: null })?.number ?? null;
  expect(['rate_limited', 'overloaded', 'connection'].map((code) => at(code, 0))).toEqual([1, 1, 1]);
  expect(['usage_limit', 'login_required', 'agent_failed'].map((code) => at(code, 0))).toEqual([
    null,
    null,
    null,
  ]);
  expect([at('overloaded', 3), at('overloaded', 4)]).toEqual([4, null]);
  expect(nextRetry(null, { code: 'overloaded', retry_at: null })).toBeNull();
  const pause = (number: number, retry_at: string | null = null) =>
    retryMs({ number, most: 9 }, { code: 'rate_limited', retry_at }, 1_000_000) - 1_000_000;
  expect([1, 2, 3, 4].map((number) => pause(number))).toEqual([30_000, 120_000, 480_000, 480_000]);
  expect(pause(1, new Date(1_900_000).toISOString())).toBe(900_000);
  // What the agent said is over by now.
  expect(pause(1, new Date(900_000).toISOString())).toBe(30_000);
});
