import { expect, test } from 'vitest';
import { closest } from '../../../src/core/suggest.ts';

test.each<[string, string | null]>([
  ['workspce-write', 'workspace-write'],
  ['READ-ONLY', 'read-only'],
  ['readonly', 'read-only'],
  ['', null],
  ['banana', null],
  ['x'.repeat(100_000), null],
])('the nearest known word to %.20s', (word, expected) => {
  expect(closest(word, ['read-only', 'workspace-write', 'danger-full-access'])).toBe(expected);
});
