import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createProject,
  eventually,
  type Project,
  processesWith,
  repositoryFile,
  runProgram,
} from '../helpers/project.ts';

const ANSWER = 'The project prints two lines.';

async function startAndWait(project: Project, env: Record<string, string | undefined> = {}): Promise<string> {
  const { stdout } = await project.zwarm(['start', '--wait', '--json', 'x'], { env });
  return JSON.parse(stdout).id;
}

/** The pids of a running turn: its runner and its agent. */
async function pidsOf(project: Project, id: string): Promise<{ runner: number; agent: number }> {
  await eventually('it has answered', async () => (await project.show(id)).last_message !== null);
  const { pid } = await project.show(id);
  return { runner: pid ?? 0, agent: project.runs().at(-1)?.pid ?? 0 };
}

test('an agent that completes and then ends with 42 has failed, and its answer is still shown', async () => {
  const project = createProject();
  const id = await startAndWait(project, { FAKE_AGENT_EXIT: '42' });
  expect(await project.show(id)).toMatchObject({
    status: 'failed',
    exit_code: 42,
    error: {
      code: 'exit_code',
      message: expect.stringContaining('42'),
      hint: expect.stringContaining('zwarm show'),
    },
    last_message: ANSWER,
  });
  const page = await project.ok(['show', id]);
  expect(page).toContain(ANSWER);
  expect(page).toMatch(/ended with exit code 42/);
});

test('an agent that is ended by a signal from outside has failed, with the signal', async () => {
  const project = createProject();
  const id = await project.start(['x'], { env: { FAKE_AGENT_HANG: '1' } });
  const { agent } = await pidsOf(project, id);
  process.kill(agent, 'SIGKILL');
  expect(await project.zwarm(['wait', id])).toMatchObject({ code: 1, stdout: `${id} failed\n` });
  expect(await project.show(id)).toMatchObject({
    status: 'failed',
    exit_code: null,
    signal: 'SIGKILL',
    last_message: ANSWER,
  });
});

test('an agent that outlives its runner still runs, and then its events tell how it ended', async () => {
  const project = createProject();
  const gate = join(project.base, 'gate');
  const id = await project.start(['x'], { env: { FAKE_AGENT_GATE: gate } });
  const { runner, agent } = await pidsOf(project, id);
  process.kill(runner, 'SIGKILL');
  await eventually('the runner is gone', () => !processesWith(`ZWARM_SESSION_ID=${id}`).includes(runner));
  expect(processesWith(`ZWARM_SESSION_ID=${id}`)).toContain(agent);
  expect(await project.show(id)).toMatchObject({ status: 'running', pid: null });
  expect((await project.zwarm(['inject', id, 'more'])).code).toBe(4);
  writeFileSync(gate, '');
  expect(await project.ok(['wait', id])).toBe(`${id} completed`);
  expect(await project.show(id)).toMatchObject({
    status: 'completed',
    exit_code: null,
    last_message: ANSWER,
  });
});

test('an orphaned agent can be killed', async () => {
  const project = createProject();
  const id = await project.start(['x'], {
    env: { FAKE_AGENT_HANG: '1', FAKE_AGENT_STREAM: partialStream(project) },
  });
  const { runner } = await pidsOf(project, id);
  process.kill(runner, 'SIGKILL');
  await eventually('the runner is gone', () => processesWith(`ZWARM_SESSION_ID=${id}`).length === 1);
  expect(await project.ok(['kill', id, '--grace', '5s'])).toBe(`${id} killed`);
  expect(processesWith(`ZWARM_SESSION_ID=${id}`)).toEqual([]);
});

/** A stream without an end: the agent has said something and is still at it. */
function partialStream(project: Project): string {
  const path = join(project.base, 'partial.jsonl');
  const thread = '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}';
  const message = `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"${ANSWER}"}}`;
  writeFileSync(path, `${thread}\n{"type":"turn.started"}\n${message}\n`);
  return path;
}

test('a turn whose runner and agent vanish together is lost, and the session can be continued', async () => {
  const project = createProject();
  const id = await project.start(['x'], {
    env: { FAKE_AGENT_HANG: '1', FAKE_AGENT_STREAM: partialStream(project) },
  });
  const { runner, agent } = await pidsOf(project, id);
  process.kill(runner, 'SIGKILL');
  process.kill(agent, 'SIGKILL');
  expect(await project.zwarm(['wait', id])).toMatchObject({ code: 1, stdout: `${id} lost\n` });
  const lost = await project.show(id);
  expect(lost).toMatchObject({
    status: 'lost',
    exit_code: null,
    signal: null,
    ended_at: null,
    last_message: ANSWER,
  });
  expect(lost.error?.hint).toContain(`zwarm inject ${id}`);
  expect(await project.ok(['inject', id, '--wait', 'go on'])).toBe(ANSWER);
  expect((await project.show(id)).turns.map((turn) => turn.status)).toEqual(['lost', 'completed']);
});

test('a turn that is lost before its conversation had a name can be continued, and says so', async () => {
  const project = createProject();
  const stream = join(project.base, 'empty.jsonl');
  writeFileSync(stream, '');
  const id = await project.start(['x'], { env: { FAKE_AGENT_HANG: '1', FAKE_AGENT_STREAM: stream } });
  const agent = await eventually('the agent runs', () => project.runs()[0]?.pid);
  process.kill((await project.show(id)).pid ?? 0, 'SIGKILL');
  process.kill(agent, 'SIGKILL');
  expect((await project.zwarm(['wait', id])).code).toBe(1);
  expect((await project.show(id)).error?.hint).toBe(`continue with: zwarm inject ${id} "go on"`);
  expect(await project.ok(['inject', id, '--wait', 'go on'])).toBe(ANSWER);
});

test.each(['removed', 'replaced', 'overwritten in place'])(
  'a turn during which zwarm itself is %s is still recorded',
  async (fate) => {
    const project = createProject();
    const installed = join(project.base, 'installed');
    for (const part of ['bin', 'dist', 'package.json']) {
      cpSync(repositoryFile(part), join(installed, part), { recursive: true });
    }
    const gate = join(project.base, 'gate');
    const cli = join(installed, 'bin/zwarm.js');
    const env = { ...project.env, FAKE_AGENT_GATE: gate };
    const options = { cwd: project.directory, env };
    const id = (await runProgram(process.execPath, [cli, 'start', 'x'], options)).stdout.trim();
    await pidsOf(project, id);
    const runner = join(installed, 'bin/turn-runner.sh');
    // What a shell would do if it read on in its script.
    const harm = `: > '${project.base}/harm'\n`.repeat(1000);
    if (fate === 'overwritten in place') {
      writeFileSync(runner, harm);
      rmSync(cli);
    } else rmSync(installed, { recursive: true });
    if (fate === 'replaced') {
      mkdirSync(join(installed, 'bin'), { recursive: true });
      // Another version that cannot settle.
      writeFileSync(cli, 'process.exit(3);\n');
      writeFileSync(runner, harm);
    }
    writeFileSync(gate, '');
    expect(await project.ok(['wait', id])).toBe(`${id} completed`);
    expect(await project.show(id)).toMatchObject({ status: 'completed', exit_code: 0, last_message: ANSWER });
    expect(existsSync(join(project.base, 'harm'))).toBe(false);
    expect((await project.list()).map((row) => row.status)).toEqual(['completed']);
  },
);
