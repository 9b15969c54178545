import { expect, test } from 'vitest';
import { sumUsage, type TurnUsage, usagePerTurn } from '../../../../src/core/conversation/usage.ts';
import type { TokenUsage } from '../../../../src/core/session.ts';

type Counts = readonly [input: number, cached: number, output: number, reasoning: number | null];

function turn(threadId: string | null, counts: Counts | null, more: object = {}): TurnUsage {
  if (counts === null) return { threadId, report: null, fresh: false, copyOf: null, ...more };
  const [input, cachedInput, output, reasoning] = counts;
  const report = { input, cachedInput, output, reasoning, cumulative: true };
  return { threadId, report, fresh: false, copyOf: null, ...more };
}
const fresh = { fresh: true };

function perProcess(
  threadId: string,
  [input, cachedInput, output, reasoning]: Counts,
  isFresh: boolean,
): TurnUsage {
  const report = { input, cachedInput, output, reasoning, cumulative: false };
  return { threadId, report, fresh: isFresh, copyOf: null };
}

function counts(usage: TokenUsage | null): Counts | null {
  if (usage === null) return null;
  expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
  return [usage.input_tokens, usage.cached_input_tokens, usage.output_tokens, usage.reasoning_output_tokens];
}

// The three turns are those of the recorded thread-turn1 to thread-turn3-resume.
test.each<[string, readonly TurnUsage[], readonly (Counts | null)[]]>([
  [
    'a running total is differenced',
    [turn('t', [1000, 100, 10, 5], fresh), turn('t', [3300, 2200, 36, 7]), turn('t', [4600, 3400, 52, 10])],
    [
      [1000, 100, 10, 5],
      [2300, 2100, 26, 2],
      [1300, 1200, 16, 3],
    ],
  ],
  [
    'a failed turn in between reports nothing; the next one counts from the last report',
    [turn('t', [10, 0, 1, 0], fresh), turn('t', null), turn('t', [30, 0, 3, 0])],
    [[10, 0, 1, 0], null, [20, 0, 2, 0]],
  ],
  [
    'the first turn failed: the thread still began here',
    [turn('t', null, fresh), turn('t', [30, 0, 3, 0])],
    [null, [30, 0, 3, 0]],
  ],
  [
    'a thread that began elsewhere has an unknown base: null, never the total',
    [turn('t', [500, 0, 50, 0]), turn('t', [700, 0, 70, 0])],
    [null, [200, 0, 20, 0]],
  ],
  [
    'a total that falls is none of this thread, and the next one counts from there',
    [turn('t', [100, 0, 10, 0], fresh), turn('t', [40, 0, 4, 0]), turn('t', [60, 0, 6, 0])],
    [[100, 0, 10, 0], null, [20, 0, 2, 0]],
  ],
  [
    'each of its counts must not fall',
    [turn('t', [100, 50, 10, 5], fresh), turn('t', [200, 40, 20, 6])],
    [[100, 50, 10, 5], null],
  ],
  [
    'another thread in between does not disturb',
    [turn('a', [100, 0, 10, 0], fresh), turn('b', [5, 0, 5, 0], fresh), turn('a', [150, 0, 20, 0])],
    [
      [100, 0, 10, 0],
      [5, 0, 5, 0],
      [50, 0, 10, 0],
    ],
  ],
  [
    'without a thread a total means nothing, nor does the next one',
    [turn(null, [100, 0, 10, 0], fresh), turn(null, [150, 0, 20, 0], fresh)],
    [null, null],
  ],
  [
    'reasoning must not fall either',
    [turn('t', [100, 0, 10, 5], fresh), turn('t', [200, 0, 20, 4])],
    [[100, 0, 10, 5], null],
  ],
  [
    'a thread that is known is not begun anew, nor copied',
    [
      turn('a', [100, 0, 10, 0], fresh),
      turn('a', [150, 0, 20, 0], fresh),
      turn('a', [160, 0, 21, 0], { copyOf: 'b' }),
    ],
    [
      [100, 0, 10, 0],
      [50, 0, 10, 0],
      [10, 0, 1, 0],
    ],
  ],
  [
    'a copy goes on from the total of its original, which goes on from its own',
    [
      turn('a', [100, 0, 10, 0], fresh),
      turn('b', [150, 0, 20, 0], { copyOf: 'a' }),
      turn('a', [110, 0, 12, 0]),
    ],
    [
      [100, 0, 10, 0],
      [50, 0, 10, 0],
      [10, 0, 2, 0],
    ],
  ],
  [
    'a copy of a thread that nobody saw has an unknown base, also where it is said to be fresh',
    [turn('b', [150, 0, 20, 0], { copyOf: 'a', fresh: true }), turn('b', [160, 0, 22, 0])],
    [null, [10, 0, 2, 0]],
  ],
  [
    'counts per process are taken as they are',
    [perProcess('t', [1000, 100, 10, null], true), perProcess('t', [1300, 1200, 16, null], false)],
    [
      [1000, 100, 10, null],
      [1300, 1200, 16, null],
    ],
  ],
  [
    'after an update from counts per process to totals the base is unknown',
    [
      perProcess('t', [1000, 100, 10, null], true),
      turn('t', [2300, 1300, 26, 4]),
      turn('t', [2400, 1300, 30, 5]),
    ],
    [[1000, 100, 10, null], null, [100, 0, 4, 1]],
  ],
  [
    'reasoning that was not reported before has no base',
    [turn('t', [1000, 100, 10, null], fresh), turn('t', [2300, 1300, 26, 4]), turn('t', [2400, 1300, 30, 5])],
    [
      [1000, 100, 10, null],
      [1300, 1200, 16, null],
      [100, 0, 4, 1],
    ],
  ],
  ['no turns', [], []],
])('%s', (_, turns, expected) => {
  expect(usagePerTurn(turns).map(counts)).toEqual(expected);
});

test('the sum is of what is known, and null before the first report', () => {
  const [a = null, b = null] = usagePerTurn([
    turn('a', [1, 0, 2, 3], fresh),
    turn('b', [10, 5, 20, 30], fresh),
  ]);
  expect(sumUsage([])).toBeNull();
  expect(sumUsage([null, null])).toBeNull();
  expect(counts(sumUsage([null, a, null, b]))).toEqual([11, 5, 22, 33]);
  const silent = a === null ? null : { ...a, reasoning_output_tokens: null };
  expect(counts(sumUsage([silent, b]))).toEqual([11, 5, 22, null]);
});
