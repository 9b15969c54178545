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
  const answered = { code: 0, stdout: ANSWER, stderr: '' };
  expect(await project.zwarm(['start', '--wait', 'hi'])).toEqual(answered);
  expect(await project.zwarm(['inject', '@last', '-w', 'hi'])).toEqual(answered);
  const env = { FAKE_AGENT_EXIT: '42' };
  expect(await project.$('start --wait hi', { env })).toMatch(
    /^The project prints two lines\.\nzwarm: \w{10} failed\n.*exit code 42\nhint: its answer is kept; see: zwarm show \w{10}\n\[exit 1\]\n$/,
  );
  const json = await project.zwarm(['inject', '@last', '--wait', '--json', 'hi'], { env });
  expect(json).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'failed', exit_code: 42, turn: 2 });
  const silent = await project.$('start --wait hi', { env: { FAKE_AGENT_STREAM: undefined } });
  expect(silent).toMatch(/^zwarm: .*\n.*without a result/);
});

test('--timeout ends the waiting with 124, and the agent runs on', async () => {
  const project = createProject();
  const { env, open } = gate(project);
  const started = await project.$('start --wait --timeout 0.2s hi', { env });
  expect(started).toMatch(/^zwarm: (\w{10}) still runs; wait for it with: zwarm wait \1\n\[exit 124\]\n$/);
  const [{ id } = { id: '' }] = await project.list(['--status', 'running']);
  expect(await project.$(`wait ${id} --timeout 0.2`)).toBe(`zwarm: ${id} still runs\n[exit 124]\n`);
  for (const line of ['start --wait hi', `wait ${id}`]) {
    const json = await project.zwarm([...line.split(' '), '--timeout', '0', '--json'], { env });
    expect(json.code).toBe(124);
    expect([JSON.parse(json.stdout)].flat()).toMatchObject([{ status: 'running', turn: 1 }]);
  }
  open();
  expect(await project.$(`wait ${id}`)).toBe(`${id} completed\n`);
});

test('wait reports each end; with --json in the order of the arguments, errors in their place', async () => {
  const project = createProject();
  const { env, open } = gate(project);
  const [slow, fast] = [await project.start(['slow'], { env }), await project.start(['fast'])];
  const bad = await project.start(['bad'], { env: { FAKE_AGENT_EXIT: '1', FAKE_AGENT_STREAM: undefined } });
  expect(await project.$(`wait --any ${slow} ${fast}`)).toBe(`${fast} completed\n`);
  expect(await project.$(`wait -q ${fast} ${bad}`)).toMatch(new RegExp(`${bad}[\\s\\S]*\\[exit 1\\]`));
  const ids = [slow, 'nosuch', fast, bad];
  const [all, json] = [project.zwarm(['wait', ...ids]), project.zwarm(['wait', ...ids, '--json'])];
  open();
  expect(await all).toMatchObject({
    code: 3,
    stderr: 'zwarm: no session nosuch\nhint: see: zwarm ls --all\n',
  });
  const ends = [`${slow} completed`, `${fast} completed`, `${bad} failed`];
  expect((await all).stdout.trim().split('\n').sort()).toEqual(ends.sort());
  expect(await json).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse((await json).stdout)).toMatchObject([
    { id: slow, status: 'completed' },
    { id: 'nosuch', error: { code: 'not_found' } },
    { id: fast, status: 'completed' },
    { id: bad, status: 'failed', exit_code: 1 },
  ]);
});

test.each(['start --wait hi', 'wait @last'])(
  'Ctrl-C ends %s with 130, and the agent runs on',
  async (line) => {
    const project = createProject();
    const { env, open } = gate(project);
    if (line === 'wait @last') await project.start(['hi'], { env });
    const child = spawn(process.execPath, [ZWARM, ...line.split(' ')], {
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
  },
);
