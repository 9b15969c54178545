import { expect, test } from 'vitest';
import { opencode } from '../../../../src/agents/opencode/index.ts';

const said = (message: string) => opencode.explain({ message, stderr: '' })?.code;

test.each([
  ['Invalid API key (status 401)', 'login_required'],
  ['ProviderAuthError: no key for acme', 'login_required'],
  ['Too Many Requests (status 429)', 'rate_limited'],
  ['Insufficient balance (status 402)', 'quota_exceeded'],
  ['Monthly usage limit reached', 'usage_limit'],
  ['ContextOverflowError: Input exceeds context window of this model', 'context_full'],
  ['the answer was cut off: the model reached its output limit', 'answer_cut'],
  ['Model not found: acme/x.', 'model_unavailable'],
  ['Unexpected server error. Check server logs for details.', 'agent_failed'],
  ['Cannot connect to API: Unable to connect.', 'connection'],
  ['Overloaded (status 529)', 'overloaded'],
  ['Bad gateway (status 502)', 'overloaded'],
  ['Rate limit reached for requests per minute', 'rate_limited'],
  ['The request took too long', 'agent_failed'],
  ['something else', 'agent_failed'],
])('%s: %s', (message, code) => {
  expect(said(message)).toBe(code);
});

const RED = '\u001b[91m\u001b[1mError: \u001b[0m';
const LOG =
  'timestamp=2026-11-23T18:06:38.169Z level=ERROR run=d9314917 message="Failed to fetch models.dev"';

test.each([
  ['an unknown session', `${RED}Session not found\n`, 'thread_gone', 'Session not found'],
  [
    'an error of several lines, after others of its log',
    `${LOG}\n${RED}Configuration is invalid at /w/opencode.json\n↳ Expected X permission.bash\n`,
    'agent_configuration',
    'Configuration is invalid at /w/opencode.json ↳ Expected X permission.bash',
  ],
  [
    'a directory that it may not make, as its first words tell',
    `EROFS: read-only file system, mkdir '/home/u/.cache/opencode/bin'\n    path: "x"\n`,
    'agent_configuration',
    "EROFS: read-only file system, mkdir '/home/u/.cache/opencode/bin'",
  ],
  [
    'a file that it may not write',
    `${RED}Unexpected error\n\nUnknown: FileSystem.writeFile (/home/u/.config/opencode/.gitignore)\n`,
    'agent_configuration',
    'Unknown: FileSystem.writeFile (/home/u/.config/opencode/.gitignore)',
  ],
  [
    'its usage',
    'opencode run [message..]\n\nrun opencode with a message\n\nOptions:\n  -h, --help\n',
    'agent_arguments',
    'opencode does not know one of its arguments',
  ],
  [
    'a permission that nobody gave',
    `\u001b[93m\u001b[1m! \u001b[0mpermission requested: bash (ls); auto-rejecting\n${LOG}\n`,
    'permission_refused',
    'permission requested: bash (ls); auto-rejecting',
  ],
])('stderr with %s', (_, stderr, code, message) => {
  expect(opencode.explain({ message: null, stderr })).toMatchObject({ code, message });
});

test('its log alone explains nothing', () => {
  expect(opencode.explain({ message: null, stderr: `${LOG}\n` })).toBeNull();
});
