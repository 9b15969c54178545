import { expect, test } from 'vitest';
import { explainClaudeFailure } from '../../../../src/agents/claude/explain.ts';

// As Claude Code 2.1.328 says what a server answered.
test.each([
  [
    'overloaded',
    'API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment.',
  ],
  ['overloaded', 'API Error: 502 Bad gateway. This is a server-side issue, usually temporary.'],
  ['connection', 'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)'],
  ['rate_limited', 'API Error: Request rejected (429) · Rate limit reached for requests per minute'],
  ['usage_limit', '5-hour limit reached ∙ resets 3pm'],
  ['quota_exceeded', 'Credit balance is too low'],
  [
    'context_full',
    'Request too large (max 32MB). Accumulated images and attachments in the conversation pushed the request over the limit.',
  ],
  [
    'login_required',
    'Failed to authenticate. API Error: 403 Your account does not have access to Claude Code.',
  ],
  ['agent_failed', 'API Error: 418 I am a teapot'],
])('%s: %s', (code, message) => {
  expect(explainClaudeFailure({ message, stderr: '' })).toMatchObject({ code, message });
});
