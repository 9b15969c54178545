import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isInRepository } from '../../src/store/git.ts';
import { CODEX_WRAPPER, type CodexProject, createCodexProject, nativeCodex } from '../helpers/codex.ts';
import { type Ended, eventually, runProgram } from '../helpers/project.ts';

/** What a user can learn about a failed turn: the same from the verb that waited, from `show`, and from `wait`. */
async function expectFailure(
  project: CodexProject,
  ended: Ended,
  turn: number,
  expected: { code: string; message: RegExp; hint: RegExp; retryable?: boolean },
): Promise<void> {
  const session = await project.show('@last');
  const { error, exit_code } = session.turns[turn - 1] ?? {};
  expect(session).toMatchObject({ status: 'failed', turn, error, exit_code });
  expect(error).toMatchObject({
    code: expected.code,
    message: expect.stringMatching(expected.message),
    hint: expect.stringMatching(expected.hint),
    retryable: expected.retryable ?? false,
  });
  expect(exit_code).toBe(1);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toBe(`zwarm: ${session.id} failed\n${error?.message}\nhint: ${error?.hint}\n`);
  expect(await project.$(`wait ${session.id}`)).toBe(`${session.id} failed\n[exit 1]\n`);
}

const http = (status: number, error: object, headers = {}) => [
  { http: { status, body: { error }, headers }, times: 100 },
];

const FAILURES = [
  {
    name: 'a key that the server refuses (401)',
    steps: http(401, { message: 'Incorrect API key provided: sk-xyz.', code: 'invalid_api_key' }),
    code: 'login_required',
    message: /^unexpected status 401 Unauthorized: Incorrect API key provided: sk-xyz\./,
    hint: /^log in with `codex login`.* zwarm inject \w{10} "…"$/,
  },
  {
    name: 'too many requests (429)',
    steps: http(429, { message: 'Rate limit reached', code: 'rate_limit_exceeded' }),
    code: 'rate_limited',
    message: /429 Too Many Requests/,
    hint: /^wait a little, .* zwarm inject \w{10} "…"$/,
    retryable: true,
  },
  {
    name: 'a used up subscription (429, usage_limit_reached)',
    steps: http(429, { type: 'usage_limit_reached', plan_type: 'plus', resets_at: 4_102_444_800 }),
    code: 'usage_limit',
    message: /You’ve hit your usage limit\. .*try again at/,
    hint: /^wait until then .* zwarm inject \w{10} "…"$/,
    retryable: true,
  },
  {
    name: 'an account without money (insufficient_quota)',
    steps: [
      { fail: { code: 'insufficient_quota', message: 'You exceeded your current quota.' }, times: 100 },
    ],
    code: 'quota_exceeded',
    message: /^Quota exceeded\. Check your plan and billing details\.$/,
    hint: /^raise the limit of the account .* zwarm inject \w{10} "…"$/,
  },
  {
    name: 'a server that breaks (500)',
    steps: http(500, { message: 'oops' }),
    code: 'overloaded',
    message: /high demand/,
    hint: /^wait a little, .* zwarm inject \w{10} "…"$/,
    retryable: true,
  },
  {
    name: 'a model at capacity',
    steps: [{ fail: { code: 'server_is_overloaded', message: 'overloaded' }, times: 100 }],
    code: 'overloaded',
    message: /^Selected model is at capacity\./,
    hint: /^wait a little, .* zwarm inject \w{10} "…"$/,
    retryable: true,
  },
  {
    name: 'an address that serves no models (404)',
    steps: http(404, { message: 'no such page' }),
    code: 'agent_configuration',
    message: /^unexpected status 404 Not Found: no such page, url: http:/,
    hint: /^check the address .*base_url/,
  },
  {
    name: 'a model that the server does not have (400)',
    steps: http(400, { message: 'The model `foo` does not exist or you do not have access to it.' }),
    code: 'model_unavailable',
    message: /^The model `foo` does not exist/,
    hint: /^start again with another model: zwarm start -m MODEL "…"$/,
  },
  {
    name: 'a stream that is cut midway, every time',
    steps: [{ message: 'half an answer', cut: true, times: 100 }],
    code: 'connection',
    message: /^stream disconnected before completion/,
    hint: /^check the network, .* zwarm inject \w{10} "…"$/,
    retryable: true,
  },
  {
    name: 'a failure that nobody has met before',
    steps: http(418, { message: 'I am a teapot' }),
    code: 'agent_failed',
    message: /teapot/,
    hint: /^see what it did: zwarm show \w{10} --full; then continue with: zwarm inject \w{10} "…"$/,
  },
];

test.concurrent.for(FAILURES)(
  '$name: in the first turn and the next, it is said what to do, and then it goes on',
  async ({ steps, ...expected }, t) => {
    const script = { scenarios: { fail: steps }, steps: [{ message: 'well again' }] };
    const project = await createCodexProject(t.onTestFinished, { script });
    for (const [turn, argv] of [['start'], ['inject', '@last']].entries()) {
      const ended = await project.zwarm([...argv, '--wait', '[[fail]] go']);
      await expectFailure(project, ended, turn + 1, expected);
    }
    expect(await project.ok(['inject', '@last', '--wait', 'go on'])).toBe('well again');
  },
);

const ANSWERS = { steps: [{ message: 'fine' }] };

test.concurrent('a thread that Codex has lost', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  await project.ok(['start', '--wait', 'remember this']);
  rmSync(join(project.codexHome, 'sessions'), { recursive: true });
  await expectFailure(project, await project.zwarm(['inject', '@last', '--wait', 'and now?']), 2, {
    code: 'thread_gone',
    message: /no rollout found for thread id [0-9a-f-]{36}/,
    hint: /^Codex no longer has this conversation; the next message replays it: zwarm inject \w+ "…"$/,
  });
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
  await eventually('the other is at work', async () => (await project.model.requestsOf(thread)).length === 2);
  await expectFailure(project, await project.zwarm(['inject', '@last', '--wait', 'and now?']), 2, {
    code: 'thread_busy',
    message: /already has an active writer/,
    hint: /^another Codex has this conversation open: close it, then zwarm inject \w{10} "…"$/,
    retryable: true,
  });
  other.kill('SIGINT');
  await closed;
  expect(await project.ok(['inject', '@last', '--wait', 'and now?'])).toBe('fine');
});

test.concurrent('a prompt that is longer than Codex takes', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const input = 'x'.repeat(1_048_577);
  await expectFailure(project, await project.zwarm(['start', '--wait'], { input }), 1, {
    code: 'prompt_too_long',
    message: /exceeds the maximum length of 1048576 characters/,
    hint: /^Codex takes at most 1,048,576 characters: put the text into a file/,
  });
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
