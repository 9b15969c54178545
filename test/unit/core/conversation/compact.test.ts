import { expect, test } from 'vitest';
import { shouldCompact } from '../../../../src/core/conversation/compact.ts';

test.each([
  [{ tokens: 81, window: 100 }, 0.8, true],
  [{ tokens: 80, window: 100 }, 0.8, false],
  [{ tokens: 5, window: 100 }, 0.8, false],
  [{ tokens: 500, window: 100 }, 1, true],
  // What is not known is no reason.
  [null, 0.8, false],
  [{ tokens: 81, window: null }, 0.8, false],
  [{ tokens: 81, window: 0 }, 0.8, false],
  [{ tokens: 81, window: 100 }, 0, false],
  [{ tokens: 81, window: 100 }, -1, false],
  [{ tokens: 81, window: 100 }, Number.NaN, false],
])('%j over %d: %s', (fill, threshold, expected) => {
  expect(shouldCompact(fill, threshold)).toBe(expected);
});
