import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../src/installation.ts';
import { createSessionManager } from '../../src/manager/session-manager.ts';
import { eventually } from '../helpers/project.ts';
import { createShellProject, type ShellProject } from '../helpers/shell-project.ts';

/** Starts a session whose runner does nothing before it gets a line through a pipe, the gate; its id, and what comes of the start. */
async function startHeld(
  project: ShellProject,
): Promise<{ id: string; gate: string; started: Promise<string> }> {
  const gate = join(project.base, 'gate');
  const runner = join(project.base, 'held-runner.sh');
  const real = installation().paths.runner;
  execFileSync('mkfifo', [gate]);
  writeFileSync(runner, `read -r go < '${gate}'\nexec /bin/sh '${real}' "$@"\n`);
  const { paths, ...rest } = installation();
  const manager = createSessionManager({
    ...rest,
    paths: { ...paths, runner },
    cwd: project.directory,
    env: project.env,
    uid: process.getuid?.() ?? 0,
    stateDir: null,
  });
  const started = manager.start({ task: 'quick' }).then(
    () => 'started',
    (error: unknown) => String(error),
  );
  const id = await eventually('it is claimed', async () => (await project.list())[0]?.id);
  await eventually('its runner is held', () => project.marked(id).length > 0);
  return { id, gate, started };
}

const killed = (id: string) => ({ code: 0, stdout: `${id} killed\n`, stderr: '' });

test('a turn that is killed before its runner has shown itself never begins', async () => {
  const project = createShellProject();
  const { id, gate, started } = await startHeld(project);
  const killing = project.run(['kill', id]);
  await eventually('it is called off', () => existsSync(project.turnFile(id, 1, 'cancel.json')));
  // Not waiting for a reader: there would be none if the runner were gone.
  const pipe = openSync(gate, constants.O_WRONLY | constants.O_NONBLOCK);
  writeFileSync(pipe, '\n');
  closeSync(pipe);
  expect(await killing).toEqual(killed(id));
  expect(await started).toBe('started');
  expect((await project.show(id)).status).toBe('killed');
  expect(project.runs()).toEqual([]);
  expect(JSON.parse(readFileSync(project.turnFile(id, 1, 'exit.json'), 'utf8'))).toMatchObject({
    why: 'cancelled',
    cancelled: true,
  });
});

test('a runner that never shows itself is ended, and its turn is killed, not failed', async () => {
  const project = createShellProject();
  const { id, started } = await startHeld(project);
  expect(await project.run(['kill', id])).toEqual(killed(id));
  expect(project.marked(id)).toEqual([]);
  expect(await started).toContain('did not start');
  expect(await project.show(id)).toMatchObject({ status: 'killed', error: null });
  expect(project.runs()).toEqual([]);
  expect(await project.run(['rm', id])).toMatchObject({ code: 0 });
});

test('a turn whose launcher gave up on its runner is never begun late', async () => {
  const project = createShellProject();
  const { id, gate, started } = await startHeld(project);
  expect(await started).toContain('did not start: its runner gave no sign of life');
  expect(await project.show(id)).toMatchObject({ status: 'failed', error: { code: 'spawn_error' } });
  const pipe = openSync(gate, constants.O_WRONLY | constants.O_NONBLOCK);
  writeFileSync(pipe, '\n');
  closeSync(pipe);
  await eventually('the runner has come and gone', () => project.marked(id).length === 0);
  expect(project.runs()).toEqual([]);
  expect((await project.show(id)).status).toBe('failed');
});
