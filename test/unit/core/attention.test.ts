import { expect, test } from 'vitest';
import { needsAttention } from '../../../src/core/rules/attention.ts';
import type { SessionStatus } from '../../../src/core/session.ts';

test.each<[SessionStatus, turn: number | null, seen: number | null, needed: boolean | null]>([
  ['completed', 1, 0, true],
  ['failed', 2, 1, true],
  ['killed', 2, 2, false],
  ['lost', 2, 3, false],
  ['completed', 1, null, null],
  ['running', 2, 1, false],
  ['pending', 2, null, false],
  ['unknown', 2, 1, null],
  ['damaged', null, 1, null],
  ['completed', null, 1, null],
])('%s, turn %s, seen %s: %s', (status, turn, seen, needed) => {
  expect(needsAttention({ status, turn }, seen)).toBe(needed);
});
