import { expect, test } from 'vitest';
import { longestWait } from '../../../src/mcp/wait-budget.ts';

test.each<[client: string, configured: number | null, seconds: number]>([
  ['claude-code', null, 110],
  ['Claude-Code-Desktop', null, 110],
  ['not-claude-code', null, 45],
  ['codex-mcp-client', null, 45],
  ['', null, 45],
  ['claude-code', 7, 7],
  ['codex-mcp-client', 1500, 1500],
  ['codex-mcp-client', 0, 0],
])('a call of %j, with %j configured, waits at most %i s', (client, configured, seconds) => {
  expect(longestWait(client, configured)).toBe(seconds);
});
