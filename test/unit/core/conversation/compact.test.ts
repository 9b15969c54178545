import { expect, test } from 'vitest';
import { shouldCompact } from '../../../../src/core/conversation/compact.ts';

test.each<[usage: number | null, window: number | null, share: number, compact: boolean]>([
  [81, 100, 0.8, true],
  [80, 100, 0.8, false],
  [101, 100, 1, true],
  [100, 100, 1, false],
  [null, 100, 0.1, false],
  [50, null, 0.1, false],
  [50, 0, 0.1, false],
  [50, -1, 0.1, false],
  [50, 100, 0, false],
  [50, 100, -1, false],
  [50, 100, Number.NaN, false],
])('%s of %s tokens with a share of %s: %s', (usage, window, share, compact) => {
  expect(shouldCompact(usage, window, share)).toBe(compact);
});
