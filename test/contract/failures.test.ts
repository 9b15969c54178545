import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isInRepository } from '../../src/store/git.ts';
import { CODEX_WRAPPER, type CodexProject, createCodexProject, nativeCodex } from '../helpers/codex.ts';
import { type Ended, eventually, processesWith, runProgram } from '../helpers/project.ts';

/** What a user learns of a failed turn, the same from each verb, without addresses, id and the time of a limit. */
async function failureOf(project: CodexProject, ended: Ended, expectedTurn: number): Promise<string> {
  const session = await project.show(/^zwarm: (\w+) failed/.exec(ended.stderr)?.[1] ?? '');
  const { id, status, turn } = session;
  const { error, exit_code } = session.turns[expectedTurn - 1] ?? {};
  expect({ status, turn, exit_code }).toEqual({ status: 'failed', turn: expectedTurn, exit_code: 1 });
  expect(session).toMatchObject({ error, exit_code });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe(`zwarm: ${id} failed\n${error?.message}\nhint: ${error?.hint}\n`);
  expect(await project.$(`wait ${id}`)).toBe(`${id} failed\n[exit 1]\n`);
  const line = `${error?.code}${error?.retryable ? ', retryable' : ''} | ${error?.message} | ${error?.hint}`;
  return line
    .replaceAll(id, 'ID')
    .replaceAll(session.thread_id ?? '-', 'THREAD')
    .replaceAll(/http:[^ )]+/g, 'URL')
    .replace(/try again at .*?\./, 'try again at …');
}

const http = (status: number, error: object) => [{ http: { status, body: { error } }, times: 100 }];
const fail = (code: string, message: string) => [{ fail: { code, message }, times: 100 }];

const FAILURES = {
  'a-key-that-the-server-refuses': http(401, { message: 'Incorrect API key provided: sk-xyz.' }),
  'too-many-requests': http(429, { message: 'Rate limit reached', code: 'rate_limit_exceeded' }),
  'a-used-up-subscription': http(429, { type: 'usage_limit_reached', plan_type: 'plus', resets_at: 4e9 }),
  'an-account-without-money': fail('insufficient_quota', 'You exceeded your current quota.'),
  'a-server-that-breaks': http(500, { message: 'oops' }),
  'a-model-at-capacity': fail('server_is_overloaded', 'overloaded'),
  'an-address-that-serves-no-models': http(404, { message: 'no such page' }),
  'a-model-that-the-server-does-not-have': http(400, { message: 'The model `foo` does not exist.' }),
  'a-stream-that-is-cut-midway-every-time': [{ message: 'half an answer', cut: true, times: 100 }],
  'a-failure-that-nobody-has-met-before': http(418, { message: 'I am a teapot' }),
};

test.concurrent('what fails in the first turn and the next says what to do, and then it goes on', async (t) => {
  const script = { scenarios: FAILURES, steps: [{ message: 'well again' }] };
  const project = await createCodexProject(t.onTestFinished, { script });
  const seen: string[] = [];
  const names = Object.keys(FAILURES);
  const queue = names.values();
  const lane = async (): Promise<void> => {
    for (const name of queue) {
      // Several at once: of agents that write in one directory a warning would come first.
      const message = ['--wait', `[[${name}]] go`];
      const first = await failureOf(
        project,
        await project.zwarm(['start', '-s', 'read-only', ...message]),
        1,
      );
      const [{ id } = { id: '' }] = await project.list(['--grep', name]);
      expect(await failureOf(project, await project.zwarm(['inject', id, ...message]), 2)).toBe(first);
      expect(await project.ok(['inject', id, '--wait', 'go on'])).toBe('well again');
      seen[names.indexOf(name)] = `${name}: ${first}`;
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  t.expect(seen.join('\n')).toMatchInlineSnapshot(`
    "a-key-that-the-server-refuses: login_required | unexpected status 401 Unauthorized: Incorrect API key provided: sk-xyz., url: URL | log in with \`codex login\` (or set the API key it asks for), then continue with: zwarm inject ID "…"
    too-many-requests: rate_limited, retryable | exceeded retry limit, last status: 429 Too Many Requests | wait a little, then continue with: zwarm inject ID "…"
    a-used-up-subscription: usage_limit, retryable | You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at … | wait until it ends or raise the limit, then continue with: zwarm inject ID "…"
    an-account-without-money: quota_exceeded | Quota exceeded. Check your plan and billing details. | raise the limit of the account or pay its bill, then continue with: zwarm inject ID "…"
    a-server-that-breaks: overloaded, retryable | We’re currently experiencing high demand, which may cause temporary errors. | wait a little, then continue with: zwarm inject ID "…"
    a-model-at-capacity: overloaded, retryable | Selected model is at capacity. Please try a different model. | wait a little, then continue with: zwarm inject ID "…"
    an-address-that-serves-no-models: agent_configuration | unexpected status 404 Not Found: no such page, url: URL | check the address in the message: base_url in the Codex configuration, or a proxy
    a-model-that-the-server-does-not-have: model_unavailable | The model \`foo\` does not exist. | start again with another model: zwarm start -m MODEL "…"
    a-stream-that-is-cut-midway-every-time: connection, retryable | stream disconnected before completion: Transport error: network error: error decoding response body | check the network, then continue with: zwarm inject ID "…"
    a-failure-that-nobody-has-met-before: agent_failed | unexpected status 418 I'm a teapot: I am a teapot, url: URL | see what it did: zwarm show ID --full; then continue with: zwarm inject ID "…""
  `);
});

const ANSWERS = { steps: [{ message: 'fine' }] };

test.concurrent('a thread that Codex has lost', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  await project.ok(['start', '--wait', 'remember this']);
  rmSync(join(project.codexHome, 'sessions'), { recursive: true });
  const ended = await project.zwarm(['inject', '@last', '--wait', 'and now?']);
  t.expect(await failureOf(project, ended, 2)).toMatchInlineSnapshot(
    `"thread_gone | Error: thread/resume: thread/resume failed: no rollout found for thread id THREAD (code -32600) | Codex no longer has this conversation; the next message replays it: zwarm inject ID "…""`,
  );
  // What was said stays readable.
  expect((await project.show('@last')).turns[0]?.answer).toBe('fine');
});

test.concurrent('a thread that another Codex has open', async (t) => {
  const script = { scenarios: { long: [{ message: 'late', latencyMs: 300_000 }] }, ...ANSWERS };
  const project = await createCodexProject(t.onTestFinished, { script });
  await project.ok(['start', '--wait', 'hello']);
  const thread = (await project.show('@last')).thread_id ?? '';
  const other = spawn(nativeCodex(), ['exec', '-C', project.directory, 'resume', thread, '[[long]]'], {
    env: project.env,
    stdio: 'ignore',
  });
  t.onTestFinished(() => void other.kill('SIGKILL'));
  const closed = once(other, 'exit');
  // By what it was asked: how often Codex asks is its own affair.
  await eventually('the other is at work', async () =>
    (await project.model.requestsOf(thread)).some(({ body }) =>
      JSON.stringify(body.input).includes('[[long]]'),
    ),
  );
  const ended = await project.zwarm(['inject', '@last', '--wait', 'and now?']);
  t.expect(await failureOf(project, ended, 2)).toMatchInlineSnapshot(
    `"thread_busy, retryable | Error: thread/resume: thread/resume failed: thread THREAD already has an active writer (code -32600) | another Codex has this conversation open: close it, then zwarm inject ID "…""`,
  );
  other.kill('SIGINT');
  await closed;
  expect(await project.ok(['inject', '@last', '--wait', 'and now?'])).toBe('fine');
});

test.concurrent('a prompt that is longer than Codex takes', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const input = 'x'.repeat(1_048_577);
  const ended = await project.zwarm(['start', '--wait'], { input });
  t.expect(await failureOf(project, ended, 1)).toMatchInlineSnapshot(
    `"prompt_too_long | Error: turn/start: turn/start failed: Input exceeds the maximum length of 1048576 characters. (code -32602), data: {"input_error_code":"input_too_large","max_chars":1048576,"actual_chars":1048577} | Codex takes at most 1,048,576 characters: put the text into a file and name the file in the task"`,
  );
});

test.concurrent('a directory that is no git repository', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  rmSync(join(project.base, '.git'));
  const plain = join(project.base, 'plain');
  mkdirSync(plain);
  const start = (...more: string[]) => project.zwarm(['start', '-C', plain, '--wait', ...more, 'hello']);
  expect(await start()).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/git init.*zwarm start --agent-arg=--skip-git-repo-check "…"\n$/),
  });
  // Both ways out that the hint names.
  expect(await start('--agent-arg=--skip-git-repo-check')).toMatchObject({ code: 0, stdout: 'fine\n' });
  await runProgram('git', ['init', '-q'], { cwd: plain, env: project.env });
  expect(await start()).toMatchObject({ code: 0, stdout: 'fine\n' });
});

// A refusal of ours is one of Codex, and the other way round.
test.each<[string, string, (at: string) => void]>([
  ['a directory with a HEAD', 'accepts', (at) => [mkdirSync(at), writeFileSync(join(at, 'HEAD'), '')]],
  ['any file', 'accepts', (at) => writeFileSync(at, 'nonsense')],
  ['an empty directory', 'refuses', (at) => mkdirSync(at)],
  ['a link to nothing', 'refuses', (at) => symlinkSync('/nonexistent', at)],
])('where .git is %s Codex %s to work', async (_, word, make) => {
  const project = await createCodexProject(onTestFinished, { script: ANSWERS });
  rmSync(join(project.base, '.git'));
  const below = join(project.base, 'plain/below');
  mkdirSync(below, { recursive: true });
  make(join(project.base, 'plain/.git'));
  const args = ['exec', '--json', '-s', 'read-only', '-C', below, '-'];
  const codex = await runProgram(CODEX_WRAPPER, args, { cwd: below, env: project.env, input: 'hello' });
  expect(codex.code).toBe(word === 'accepts' ? 0 : 1);
  expect(isInRepository(below)).toBe(word === 'accepts');
});

/** What is passed to Codex, its exit code, and what is said of it. */
const REFUSED_AT_ONCE: readonly [arg: string, exit: number, code: string, message: RegExp, hint: RegExp][] = [
  ['--bogus', 2, 'agent_arguments', /--bogus/, /--agent-arg/],
  ['-c model_provider=nowhere', 1, 'agent_configuration', /`nowhere` not found/, /^correct the Codex config/],
  ['-c model_reasoning_effort=17', 1, 'agent_configuration', /config\.toml/, /^correct the Codex config/],
  ['-c model_providers.fake.env_key="NO_SUCH_KEY"', 1, 'login_required', /`NO_SUCH_KEY`/, /set the API key/],
];

test.concurrent('arguments and settings that Codex refuses', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  for (const [args, exit, code, message, hint] of REFUSED_AT_ONCE) {
    const passed = args.split(' ').map((arg) => `--agent-arg=${arg}`);
    expect((await project.zwarm(['start', '--wait', ...passed, 'hello'])).code, args).toBe(1);
    const { status, exit_code, error } = await project.show('@last');
    expect({ status, exit_code, error }).toMatchObject({
      status: 'failed',
      exit_code: exit,
      error: { code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) },
    });
  }
  expect(readdirSync(project.directory)).toEqual(['.git', '.zwarm']);
});

test.concurrent('a home of Codex in the temporary directory: its warning disturbs nothing', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const home = mkdtempSync(join(project.base, 'tmp', 'codex-home-'));
  t.onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
  cpSync(join(project.codexHome, 'config.toml'), join(home, 'config.toml'));
  project.env['CODEX_HOME'] = home;
  // An agent that writes there could change it.
  const start = ['start', '-s', 'read-only', '--wait'];
  expect(await project.zwarm([...start, 'one'])).toMatchObject({ code: 0, stdout: 'fine\n', stderr: '' });
  const { id, turns } = await project.show('@last');
  expect(readFileSync(project.turnFile(id, 1, 'stderr.log'), 'utf8')).toContain('WARNING');
  expect(turns[0]).toMatchObject({ error: null, warnings: [] });
  // Nor does it hide why a turn failed.
  await project.zwarm([...start, '--agent-arg=--bogus', 'two']);
  expect((await project.show('@last')).error?.code).toBe('agent_arguments');
});

/** An address of this machine where nobody listens: a port that was free a moment ago may be another test's by now. */
const DEAD_URL = 'http://127.0.0.1:1/v1';

test.concurrent('without a network a session says what it waits for, until it is killed', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS, url: DEAD_URL });
  const started = project.zwarm(['start', '--wait', '--timeout', '5s', 'anybody there?']);
  const row = await eventually('the session is there', async () => (await project.list())[0]);
  const warnings = async () => (await project.show(row.id)).turns[0]?.warnings ?? [];
  await eventually('it says so', async () => (await warnings()).join().includes('waiting for network'));
  expect(await started).toEqual({
    code: 124,
    stdout: '',
    stderr: `zwarm: ${row.id} still runs; wait for it with: zwarm wait ${row.id} --answer\n`,
  });
  expect(await project.zwarm(['wait', '--timeout', '1s', row.id])).toMatchObject({ code: 124, stdout: '' });
  expect(await project.ok(['show', row.id])).toContain('! Reconnecting... waiting for network');
  expect(await project.zwarm(['kill', row.id])).toMatchObject({ code: 0, stdout: `${row.id} killed\n` });
  // What settles the turn may still be at work.
  await eventually('all ended', () => processesWith(`ZWARM_SESSION_ID=${row.id}`).length === 0);
  expect(await project.show(row.id)).toMatchObject({ status: 'killed', error: null });
  expect(await warnings()).toEqual([expect.stringMatching(/waiting for network/)]);
});
