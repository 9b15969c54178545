import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ProcessIdentity } from '../../src/core/session.ts';
import { ownIdentity } from '../../src/process/identity.ts';
import { installForAll } from '../helpers/ordinary-project.ts';
import {
  createProject,
  createShellProject,
  eventually,
  hasEnded,
  type Project,
  runProgram,
  synchronously,
  ZWARM,
} from '../helpers/project.ts';

/* What several commands do at once, and what one leaves that is killed. */

test('--wait prints the answer to its own message, also when the next one has been sent', async () => {
  const project = createShellProject();
  const id = 'answerturn';
  const asked = project.zwarm(['start', '--wait', 'gate ../gate'], { newId: id });
  await eventually('the agent runs', () => project.runs().length === 1);
  fs.writeFileSync(join(project.base, 'gate'), '');
  // Synchronously: the one who waits, in this process, cannot look before the next turn is there.
  const place = { cwd: project.directory, env: project.env };
  const inject = () => spawnSync(process.execPath, [ZWARM, 'inject', id, 'exit 3'], place).status === 0;
  synchronously('the first turn has ended', inject);
  expect(await asked).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(await project.$(`wait ${id}`)).toBe(`${id} failed\n[exit 1]\n`);
});

test('a start that is killed at any moment leaves no second run, no half prompt, and nothing that runs for ever', async () => {
  const project = createShellProject();
  const task = (i: number): string => `task ${i} ${'x'.repeat(100_000)} end`;
  // A whole start on this machine, so that the kills fall into every part of it.
  const began = performance.now();
  await project.asProcess(['start', '-'], { input: task(99) });
  const whole = performance.now() - began;
  for (let i = 0; i < 12; i += 1) {
    const place = { cwd: project.directory, env: project.env };
    const child = spawn(process.execPath, [ZWARM, 'start', '-'], {
      ...place,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin.on('error', () => undefined);
    child.stdin.end(task(i));
    await sleep((whole * i) / 9);
    child.kill('SIGKILL');
    await ended;
  }
  const rows = await eventually('every session is final', async () => {
    const all = await project.list(['--all']);
    return all.every((row) => ['completed', 'lost'].includes(row.status)) && all;
  });
  const runs = project.runs().map((run) => run.stdin);
  expect(new Set(runs).size).toBe(runs.length);
  const prompts = rows.map((row) => fs.readFileSync(project.turnFile(row.id, 1, 'prompt.md'), 'utf8'));
  for (const prompt of [...runs, ...prompts]) expect(prompt).toMatch(/^task \d+ x{100000} end$/);
  for (const run of runs) expect(prompts).toContain(run);
  expect(rows.filter((row) => row.status === 'completed')).toHaveLength(runs.length);
  // A launch that died can be continued only by a new message, which nothing sends by itself.
  for (const row of rows) expect(fs.readdirSync(project.turnFile(row.id, 1, '..'))).toEqual(['1']);
});

const sessionsOf = (project: Project): string[] => fs.readdirSync(join(project.store(), 'sessions'));

test('a second session of a name is refused, and the one that has it is named', async () => {
  const project = createShellProject();
  const id = await project.start(['--name', 'docs', 'hang']);
  expect(await project.$('start --name docs two')).toBe(
    `zwarm: the name docs is taken: ${id}, running\n` +
      'hint: choose another name, or go on with that session: zwarm inject docs "…"\n[exit 4]\n',
  );
  expect(sessionsOf(project)).toEqual([id]);
});

test('of six starts at once with one name exactly one has it, first and after a removal', async () => {
  const project = createShellProject();
  for (let round = 1; round <= 2; round += 1) {
    const args = ['start', '--wait', '-q', '--name', 'docs', 'x'];
    const ends = await Promise.all(Array.from({ length: 6 }, () => project.asProcess(args)));
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 4, 4, 4, 4, 4]);
    expect(sessionsOf(project)).toHaveLength(1);
    expect(project.runs()).toHaveLength(round);
    await project.ok(['rm', 'docs']);
    // The name is free, and no second removal finds another session.
    expect(await project.$('rm docs')).toContain('[exit 3]');
    expect(fs.readdirSync(join(project.store(), 'names'))).toEqual([]);
  }
});

test('the name of a session whose removal was begun is taken until that is finished; of one that is gone it is free', async () => {
  const project = createShellProject();
  const id = await project.ended(['--name', 'docs', 'one']);
  const tombstone = project.turnFile(id, 2, 'request.json');
  fs.mkdirSync(join(tombstone, '..'));
  const request = JSON.parse(fs.readFileSync(project.turnFile(id, 1, 'request.json'), 'utf8'));
  fs.writeFileSync(tombstone, JSON.stringify({ ...request, kind: 'tombstone' }));
  expect(await project.$('start --name docs two')).toBe(
    `zwarm: the name docs is taken: ${id}, which is being removed\n` +
      `hint: finish its removal: zwarm rm ${id}\n[exit 4]\n`,
  );
  fs.rmSync(join(project.store(), 'sessions', id), { recursive: true });
  expect(await project.$('show docs')).toContain('[exit 3]');
  expect(await project.$('start --wait --name docs two')).toBe('done\n');
  expect((await project.list()).map(({ name }) => name)).toEqual(['docs']);
});

/** What a command leaves that is killed after it has claimed a name, just before its session appears. */
async function leaveHalfStarted(project: Project, claimer: ProcessIdentity): Promise<void> {
  const id = await project.ended(['--name', 'docs', 'one']);
  const request = { v: 1, kind: 'prompt', claimer, nonce: 'x', at: '2026-11-20T10:00:00.000Z' };
  fs.writeFileSync(project.turnFile(id, 1, 'request.json'), JSON.stringify(request));
  fs.renameSync(join(project.store(), 'sessions', id), join(project.store(), 'sessions', `.new-${id}`));
}

test('a name that a killed command had claimed is free; one that a living command is about to give is not', async () => {
  const project = createShellProject();
  await leaveHalfStarted(project, ownIdentity());
  expect(await project.$('start --name docs two')).toMatch(/which is being created[\s\S]*\[exit 4\]/);
  const forget = (): void => {
    fs.rmSync(join(project.store(), 'sessions', sessionsOf(project)[0] ?? ''), { recursive: true });
    fs.rmSync(join(project.store(), 'names', 'docs'));
  };
  forget();
  // Whether it lives cannot be told here.
  await leaveHalfStarted(project, { ...ownIdentity(), host: 'elsewhere', boot_id: 'theirs' });
  expect(await project.$('start --name docs two')).toMatch(/which is being created[\s\S]*\[exit 4\]/);
  forget();
  await leaveHalfStarted(project, { ...ownIdentity(), start: '1' });
  expect(await project.$('start --wait --name docs two')).toBe('done\n');
  expect((await project.list()).map(({ name }) => name)).toEqual(['docs']);
});

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
  fs.writeFileSync(join(project.base, 'gate'), '');
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

test.each(['removed', 'replaced', 'overwritten in place'])('zwarm may be %s during a turn', async (fate) => {
  const project = createProject();
  const installed = installForAll(project.base);
  const gate = join(project.base, 'gate');
  const cli = join(installed, 'bin/zwarm.js');
  const place = { cwd: project.directory, env: { ...project.env, FAKE_AGENT_GATE: gate } };
  const id = (await runProgram(process.execPath, [cli, 'start', 'x'], place)).stdout.trim();
  await eventually('the agent runs', () => project.runs().length === 1);
  const runner = join(installed, 'bin/turn-runner.sh');
  // What a shell would do if it read on in its script.
  const harm = `: > '${project.base}/harm'\n`.repeat(1000);
  if (fate !== 'overwritten in place') fs.rmSync(installed, { recursive: true });
  fs.mkdirSync(join(installed, 'bin'), { recursive: true });
  if (fate === 'replaced') fs.writeFileSync(cli, 'process.exit(3);\n');
  else fs.rmSync(cli, { force: true });
  if (fate !== 'removed') fs.writeFileSync(runner, harm);
  fs.writeFileSync(gate, '');
  expect(await project.$(`wait ${id}`)).toBe(`${id} completed\n`);
  const last_message = 'The project prints two lines.';
  expect(await project.show(id)).toMatchObject({ status: 'completed', exit_code: 0, last_message });
  expect(fs.existsSync(join(project.base, 'harm'))).toBe(false);
});
