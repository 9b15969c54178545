import { expect, test } from 'vitest';
import { shouldCompact } from '../../../../src/core/conversation/compact.ts';

test.each([
  [81, 100, 0.8, true],
  [80, 100, 0.8, false],
  [5, 100, 0.8, false],
  [500, 100, 1, true],
  // What is not known is no reason.
  [null, 100, 0.8, false],
  [81, null, 0.8, false],
  [81, 0, 0.8, false],
  [81, 100, Number.NaN, false],
])('%j of %j over %d: %s', (usage, window, threshold, expected) => {
  expect(shouldCompact(usage, window, threshold)).toBe(expected);
});
