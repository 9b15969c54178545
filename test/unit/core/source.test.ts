import { expect, test } from 'vitest';
import { matchesSource, parseSources, requireOneAgent } from '../../../src/core/rules/source.ts';

const SOURCES = ['user', 'orchestrator:abk2345678', 'orchestrator:abz2345678', 'mcp:codex', 'mcp:codex-2'];

test.each<[string, readonly number[]]>([
  ['you', [0]],
  ['user', [0]],
  ['orch', [1, 2]],
  ['orchestrator', [1, 2]],
  ['orch:abz2', [2]],
  ['orchestrator:abz2345678', [2]],
  ['mcp', [3, 4]],
  ['mcp:codex', [3]],
  ['you,mcp:codex-2', [0, 4]],
])('--source %s', (text, expected) => {
  const filters = parseSources(text);
  expect(SOURCES.flatMap((source, i) => (matchesSource(source, filters) ? [i] : []))).toEqual(expected);
  expect(matchesSource(null, filters)).toBe(false);
});

test('what is no source', () => {
  const error = { code: 'usage', hint: 'choose from: you, orch, orch:ID, mcp, mcp:CLIENT' };
  for (const text of ['', 'me', 'you,', 'orch:', 'orch:a', 'orch:AB12', 'mcp:', 'users'])
    expect(() => parseSources(text), text).toThrow(expect.objectContaining(error));
});

test('the beginning of several agents is refused', () => {
  const several = ['orchestrator:abc2345678', 'orchestrator:abcz345678', 'orchestrator:abc2345678', null];
  expect(() => requireOneAgent(several, parseSources('orch:abc'))).toThrow(
    expect.objectContaining({ code: 'ambiguous', hint: 'type more of: abc2345678, abcz345678' }),
  );
  for (const text of ['orch', 'orch:abc2', 'you']) requireOneAgent(several, parseSources(text));
});
