import { expect, test } from 'vitest';
import type { Reserved } from '../../../../src/agents/agent.ts';
import { codexProbe } from '../../../../src/agents/codex/probe.ts';
import type { Answer, Finding } from '../../../../src/core/check.ts';

/** What the question about a topic makes of an answer. */
function judged(
  topic: string,
  answer: Partial<Answer>,
  env: Record<string, string> = {},
  configuration: string | null = null,
  reserved?: Reserved,
): Finding | undefined {
  const question = codexProbe.questions.find(({ names }) => names.includes(topic));
  const surroundings = { env, configuration, ...(reserved && { reserved }) };
  return question?.judge({ code: 1, stdout: '', stderr: '', ...answer }, surroundings)[topic];
}

const NOT_LOGGED_IN = { stderr: 'Not logged in\n' };
const OTHER_PROVIDER = 'model = "gpt-5.5"\n  model_provider = "azure"\n';

// The words are those of codex-cli 0.58, 0.104 and 0.169.
test.each<[string, Partial<Answer>, Record<string, string>, string | null, string]>([
  ['ChatGPT', { code: 0, stderr: 'Logged in using ChatGPT\n' }, {}, null, 'ok'],
  ['a key', { code: 0, stderr: 'API key configured - sk-abcde***hijkl\nAuth…\n' }, {}, null, 'ok'],
  ['a key in 0.104', { code: 0, stderr: 'Logged in using an API key - sk-abcde***hijkl\n' }, {}, null, 'ok'],
  ['nobody', NOT_LOGGED_IN, {}, null, 'failed'],
  ['nobody, behind a warning', { stderr: 'WARNING: proceeding\nNot logged in\n' }, {}, null, 'failed'],
  ['nobody, but CODEX_API_KEY', NOT_LOGGED_IN, { CODEX_API_KEY: 'sk-secret' }, null, 'ok'],
  ['nobody, CODEX_API_KEY empty', NOT_LOGGED_IN, { CODEX_API_KEY: '' }, null, 'failed'],
  // Codex takes this one only when somebody logs in with it.
  ['nobody, OPENAI_API_KEY', NOT_LOGGED_IN, { OPENAI_API_KEY: 'sk-secret' }, null, 'failed'],
  ['nobody, another provider', NOT_LOGGED_IN, {}, OTHER_PROVIDER, 'note'],
  ['nobody, a provider in a comment', NOT_LOGGED_IN, {}, '# model_provider = "azure"', 'failed'],
  ['a broken file', { stderr: 'Error checking login status: EOF at line 2\n' }, {}, null, 'failed'],
  ['a crash', { code: 101, stderr: '' }, {}, null, 'failed'],
  ['no such command', { code: 2, stderr: "error: unrecognized subcommand 'login'\n" }, {}, null, 'note'],
])('login: %s', (_, answer, env, configuration, status) => {
  const login = judged('login', answer, env, configuration);
  expect(login?.status).toBe(status);
  expect(JSON.stringify(login)).not.toMatch(/sk-/);
  expect(judged('configuration', answer, env)?.status).toBe('ok');
  if (status === 'failed') expect(login?.hint).toContain('codex login');
});

test.each([
  'Error loading configuration: /h/config.toml:1:10: unclosed array, expected `]`\n',
  'Error loading configuration: Model provider `nope` not found\n',
  'WARNING: x\nError loading configuration: CODEX_HOME points to "/none", but that path does not exist\n',
])('an unreadable configuration is told of with its reason, and of the login nothing: %s', (stderr) => {
  const reason = stderr.trim().split('configuration: ')[1];
  expect(judged('configuration', { stderr })).toEqual({
    status: 'failed',
    message: `Codex cannot read its configuration: ${reason}`,
    hint: expect.stringContaining('correct the file'),
  });
  expect(judged('login', { stderr })).toBeUndefined();
});

test.each<[string, Partial<Answer>, string, string]>([
  ['it can be built', { code: 0 }, 'ok', 'can be built'],
  ['no namespaces', { stderr: 'bwrap: Creating new namespace failed: …\n' }, 'failed', 'bwrap: Creating new'],
  ['silence', {}, 'failed', 'it ended with exit code 1'],
  ['0.104', { code: 2, stderr: "error: unrecognized subcommand 'true'\n" }, 'note', 'cannot tell'],
  ['configuration', { stderr: 'Error: Model provider `nope` not found\n' }, 'warning', 'Model provider'],
])('sandbox: %s', (_, answer, status, message) => {
  expect(judged('sandbox', answer)).toMatchObject({ status, message: expect.stringContaining(message) });
});

test('sandbox: what lies where Codex wants a directory of its own is named where that is the cause', () => {
  const path = codexProbe.reservedPath?.(1000) ?? '';
  const why = 'app-server socket directory must be a user-owned directory with mode 0700';
  const cannot = { stderr: `error building bubblewrap command: ${why}\n` };
  const of = (owner: number | null, answer: Partial<Answer> = cannot) =>
    judged('sandbox', answer, {}, null, { path, owner });
  expect(of(1001)).toEqual({
    status: 'failed',
    message: expect.stringContaining('as /tmp/codex-daemon-1000 belongs to another user (uid 1001): every'),
    hint: 'its owner or root must remove it: rm -r /tmp/codex-daemon-1000',
  });
  expect(of(null)).toMatchObject({
    message: expect.stringContaining('/tmp/codex-daemon-1000 is not a directory that only you may enter'),
    hint: 'remove it: rm -r /tmp/codex-daemon-1000',
  });
  expect(of(1001, { stderr: 'bwrap: no\n' })?.hint).toContain('user namespaces');
  expect(judged('sandbox', cannot)?.message).toContain(why);
});

test('where its configuration is', () => {
  const { configurationFile } = codexProbe;
  expect(configurationFile({ CODEX_HOME: '/c', HOME: '/h' })).toBe('/c/config.toml');
  expect(configurationFile({ CODEX_HOME: '', HOME: '/h' })).toBe('/h/.codex/config.toml');
  expect(configurationFile({})).toBeNull();
});

test('Codex is asked for nothing but its login, and to run a command that changes nothing', () => {
  expect(codexProbe.questions.map(({ names, args }) => [names, args])).toEqual([
    [
      ['configuration', 'login'],
      ['login', 'status'],
    ],
    [['sandbox'], ['sandbox', '-c', 'sandbox_mode="read-only"', '--', 'true']],
  ]);
  const { configurationFile, reservedPath } = codexProbe;
  expect([{ HOME: '/h' }, { HOME: '/h', CODEX_HOME: '/c' }, {}].map(configurationFile)).toEqual([
    '/h/.codex/config.toml',
    '/c/config.toml',
    null,
  ]);
  expect(reservedPath?.(1000)).toBe('/tmp/codex-daemon-1000');
});
