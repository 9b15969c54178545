import { expect, test } from 'vitest';
import { clientName, longestWait } from '../../../src/mcp/client.ts';

test.each<[given: unknown, name: string]>([
  ['codex-mcp-client', 'codex-mcp-client'],
  ['Claude Code 2.1_x', 'claude-code-2.1_x'],
  ['../../user', '..-..-user'],
  ['a\u001b[31m\nb', 'a-31m-b'],
  ['x'.repeat(50), 'x'.repeat(40)],
  ['!!', '-'],
  ['', 'unknown'],
  [undefined, 'unknown'],
  [5, 'unknown'],
])('a client that calls itself %j is recorded as %s', (given, name) => {
  expect(clientName(given)).toBe(name);
});

test.each<[client: string, configured: number | null, seconds: number]>([
  ['claude-code', null, 110],
  ['Claude-Code-Desktop', null, 110],
  ['not-claude-code', null, 45],
  ['', null, 45],
  ['claude-code', 7, 7],
  ['codex-mcp-client', 1500, 1500],
])('a call of %j, with %j configured, waits at most %i s', (client, configured, seconds) => {
  expect(longestWait(client, configured)).toBe(seconds);
});
