import { expect, test } from 'vitest';
import { explainCodexFailure, innerMessage, usefulLine } from '../../../../src/agents/codex/explain.ts';

test('a failure of many words is explained by its beginning, without searching all of it', () => {
  for (const part of ['model ', 'x', ' ', '\n', '{"error":', '[', 'status: 4']) {
    const told = explainCodexFailure({ message: null, stderr: `Error: ${part.repeat(20_000)}` });
    expect(told?.message.length).toBeLessThanOrEqual(4096);
    expect(innerMessage(part.repeat(20_000))).toContain(part);
  }
});

test.each([
  ['plain words', 'plain words'],
  ['{"error":{"message":"inside"}}', 'inside'],
  ['{"message":"flat"}', 'flat'],
  ['status 400: {"error":{"message":"inside"}}', 'status 400: inside'],
  ['{"error":{"message":"cut"}}; retrying', '{"error":{"message":"cut"}}; retrying'],
  ['{"error":{"message":""}}', '{"error":{"message":""}}'],
  ['{"error":null}', '{"error":null}'],
  ['{not json', '{not json'],
])('the sentence inside %j', (text, expected) => {
  expect(innerMessage(text)).toBe(expected);
});

test.each<[string, string | null]>([
  ['', null],
  ['Reading additional input from stdin...\n', null],
  ['2026-11-20T10:30:29.333132Z ERROR x: y\n', null],
  ['first\nlast\n', 'last'],
  ['2026-11-20T10:30:29Z ERROR x\nError: why\n\nStack backtrace:\n   0: <unknown>\n', 'Error: why'],
  ["error: unexpected argument '--x' found\n\n  tip: y\n", "error: unexpected argument '--x' found"],
])('the useful line of %j', (stderr, expected) => {
  expect(usefulLine(stderr)).toBe(expected);
});
