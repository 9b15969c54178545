import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createProject, eventually, type Project, watchesFiles, ZWARM } from '../helpers/project.ts';

const ANSWER = 'The project prints two lines.\n';

/** A turn that ends when its test says so. */
function gate(project: Project): { env: Record<string, string>; open(): void } {
  const path = join(project.base, 'gate');
  return { env: { FAKE_AGENT_GATE: path }, open: () => writeFileSync(path, '') };
}

test('--wait prints the answer alone on stdout, and the exit code says how it ended', async () => {
  const project = createProject();
  expect(await project.zwarm(['start', '--wait', 'hi'])).toEqual({
    code: 0,
    stdout: ANSWER,
    stderr: '',
  });
  expect(await project.zwarm(['inject', '@last', '-w', 'hi'])).toMatchObject({
    code: 0,
    stdout: ANSWER,
    stderr: '',
  });

  const failed = await project.zwarm(['start', '--wait', 'hi'], { env: { FAKE_AGENT_EXIT: '42' } });
  expect(failed).toMatchObject({ code: 1, stdout: ANSWER });
  expect(failed.stderr).toMatch(
    /^zwarm: \w{10} failed\n.*exit code 42\nhint: its answer is kept; see: zwarm show \w{10}\n$/,
  );

  const json = await project.zwarm(['inject', '@last', '--wait', '--json', 'hi'], {
    env: { FAKE_AGENT_EXIT: '42' },
  });
  expect(json).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'failed', exit_code: 42, turn: 2 });

  const silent = await project.zwarm(['start', '--wait', 'hi'], { env: { FAKE_AGENT_STREAM: undefined } });
  expect(silent).toMatchObject({ code: 1, stdout: '' });
  expect(silent.stderr).toMatch(/without a result/);
});

test('--timeout ends the waiting with 124, and the agent runs on', async () => {
  const project = createProject();
  const { env, open } = gate(project);
  const started = await project.zwarm(['start', '--wait', '--timeout', '0.2s', 'hi'], { env });
  expect(started).toMatchObject({ code: 124, stdout: '' });
  expect(started.stderr).toMatch(/^zwarm: (\w{10}) still runs; wait for it with: zwarm wait \1\n$/);
  const [{ id } = { id: '' }] = await project.list(['--status', 'running']);
  const object = await project.zwarm(['start', '--wait', '--timeout', '0.2s', '--json', 'hi'], { env });
  expect(object.code).toBe(124);
  expect(JSON.parse(object.stdout)).toMatchObject({ id: expect.any(String), status: 'running' });
  expect(await project.zwarm(['wait', id, '--timeout', '0.2'])).toEqual({
    code: 124,
    stdout: '',
    stderr: `zwarm: ${id} still runs\n`,
  });
  const named = await project.zwarm(['start', '--wait', '--timeout', '0', '--json', 'hi'], { env });
  expect(named.code).toBe(124);
  expect(JSON.parse(named.stdout)).toMatchObject({ status: 'running', turn: 1 });
  const json = await project.zwarm(['wait', id, '--timeout', '0', '--json']);
  expect(json.code).toBe(124);
  expect(JSON.parse(json.stdout)).toMatchObject([{ id, status: 'running' }]);
  open();
  expect(await project.ok(['wait', id])).toBe(`${id} completed`);
});

test('wait reports each end; with --json in the order of the arguments, errors in their place', async () => {
  const project = createProject();
  const { env, open } = gate(project);
  const slow = await project.start(['slow'], { env });
  const fast = await project.start(['fast']);
  const bad = await project.start(['bad'], { env: { FAKE_AGENT_EXIT: '1', FAKE_AGENT_STREAM: undefined } });

  expect(await project.zwarm(['wait', '--any', slow, fast])).toMatchObject({
    code: 0,
    stdout: `${fast} completed\n`,
  });
  expect(await project.zwarm(['wait', '-q', fast, bad])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(bad),
  });
  const all = project.zwarm(['wait', slow, 'nosuch', fast, bad]);
  const json = project.zwarm(['wait', slow, 'nosuch', fast, bad, '--json']);
  open();
  expect(await all).toMatchObject({
    code: 3,
    stderr: 'zwarm: no session nosuch\nhint: see: zwarm ls --all\n',
  });
  expect((await all).stdout.trim().split('\n').sort()).toEqual(
    [`${slow} completed`, `${fast} completed`, `${bad} failed`].sort(),
  );
  expect(await json).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse((await json).stdout)).toMatchObject([
    { id: slow, status: 'completed' },
    { id: 'nosuch', error: { code: 'not_found' } },
    { id: fast, status: 'completed' },
    { id: bad, status: 'failed', exit_code: 1 },
  ]);
});

test.each([
  ['start', ['start', '--wait', 'hi']],
  ['wait', ['wait', '@last']],
])('Ctrl-C ends %s with 130, and the agent runs on', async (verb, argv) => {
  const project = createProject();
  const { env, open } = gate(project);
  if (verb === 'wait') await project.start(['hi'], { env });
  const child = spawn(process.execPath, [ZWARM, ...argv], {
    cwd: project.directory,
    env: { ...project.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  await eventually('the agent runs', () => project.runs().length === 1);
  await eventually('it waits', () => watchesFiles(child.pid ?? 0));
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(await text(child.stdout)).toBe('');
  expect((await project.list()).map((row) => row.status)).toEqual(['running']);
  open();
  expect(await project.ok(['wait', '@last'])).toMatch(/ completed$/);
});
