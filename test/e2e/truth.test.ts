import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createProject,
  createShellProject,
  eventually,
  hasEnded,
  repositoryFile,
  runProgram,
} from '../helpers/project.ts';

/** A session with a living agent, and how to end its runner or its agent hard. */
async function begun(prompt: string) {
  const project = createShellProject();
  const id = await project.begin(prompt);
  const { pid } = await project.show(id);
  const end = async (dying: number | null | undefined): Promise<void> => {
    process.kill(dying ?? 0, 'SIGKILL');
    await eventually('it is gone', () => hasEnded(dying ?? 0));
  };
  return { project, id, endRunner: () => end(pid), endAgent: () => end(project.runs()[0]?.pid) };
}

test('an agent that is ended by a signal from outside has failed, with the signal', async () => {
  const { project, id, endAgent } = await begun('hang');
  await endAgent();
  expect(await project.$(`wait ${id}`)).toBe(`${id} failed\n[exit 1]\n`);
  expect(await project.show(id)).toMatchObject({ status: 'failed', exit_code: null, signal: 'SIGKILL' });
});

test('an agent that outlives its runner still runs, and then its events tell how it ended', async () => {
  const { project, id, endRunner } = await begun('gate ../gate');
  await endRunner();
  expect(await project.show(id)).toMatchObject({ status: 'running', pid: null });
  expect(await project.$(`inject ${id} more`)).toContain('[exit 4]');
  const following = project.zwarm(['logs', '-f', id], { tty: true });
  writeFileSync(join(project.base, 'gate'), '');
  expect(await project.$(`wait ${id}`)).toBe(`${id} completed\n`);
  // On a terminal the end of what was followed is shown beside it.
  const stdout = expect.stringContaining('done');
  expect(await following).toMatchObject({ code: 0, stdout, stderr: `${id} completed\n` });
  const ended = { status: 'completed', exit_code: null, last_message: 'done' };
  expect(await project.show(id)).toMatchObject(ended);
});

test('a turn whose runner and agent vanish together is lost, and the session can be continued', async () => {
  const { project, id, endRunner, endAgent } = await begun('hang');
  await endRunner();
  await endAgent();
  expect(await project.$(`wait ${id}`)).toBe(`${id} lost\n[exit 1]\n`);
  const lost = await project.show(id);
  expect(lost).toMatchObject({ status: 'lost', exit_code: null, signal: null, ended_at: null });
  expect(lost.error?.hint).toBe(`continue with: zwarm inject ${id} "go on"`);
  expect(await project.$(`inject ${id} --wait 'go on'`)).toBe('done\n');
  expect((await project.show(id)).turns.map((turn) => turn.status)).toEqual(['lost', 'completed']);
});

test.each(['removed', 'replaced', 'overwritten in place'])(
  'a turn during which zwarm itself is %s is still recorded',
  async (fate) => {
    const project = createProject();
    const installed = join(project.base, 'installed');
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(repositoryFile(part), join(installed, part), { recursive: true });
    const gate = join(project.base, 'gate');
    const cli = join(installed, 'bin/zwarm.js');
    const place = { cwd: project.directory, env: { ...project.env, FAKE_AGENT_GATE: gate } };
    const id = (await runProgram(process.execPath, [cli, 'start', 'x'], place)).stdout.trim();
    await eventually('the agent runs', () => project.runs().length === 1);
    const runner = join(installed, 'bin/turn-runner.sh');
    // What a shell would do if it read on in its script.
    const harm = `: > '${project.base}/harm'\n`.repeat(1000);
    if (fate !== 'overwritten in place') rmSync(installed, { recursive: true });
    mkdirSync(join(installed, 'bin'), { recursive: true });
    // Another version that cannot settle.
    if (fate === 'replaced') writeFileSync(cli, 'process.exit(3);\n');
    else rmSync(cli, { force: true });
    if (fate !== 'removed') writeFileSync(runner, harm);
    writeFileSync(gate, '');
    expect(await project.$(`wait ${id}`)).toBe(`${id} completed\n`);
    const last_message = 'The project prints two lines.';
    expect(await project.show(id)).toMatchObject({ status: 'completed', exit_code: 0, last_message });
    expect(existsSync(join(project.base, 'harm'))).toBe(false);
  },
);
