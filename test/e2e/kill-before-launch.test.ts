import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'vitest';
import { installation } from '../../src/installation.ts';
import { createSessionManager } from '../../src/manager/session-manager.ts';
import { createShellProject, eventually } from '../helpers/project.ts';

// Concurrent: each of them waits for seconds until a runner counts as dead.

/** Starts a session whose runner does nothing before the gate is opened; its id, and what comes of the start. */
async function startHeld({ onTestFinished }: TestContext) {
  const project = createShellProject('project', onTestFinished);
  const gate = join(project.base, 'gate');
  const held = join(project.base, 'held-runner.sh');
  const { paths, ...rest } = installation();
  execFileSync('mkfifo', [gate]);
  writeFileSync(held, `read -r go < '${gate}'\nexec /bin/sh '${paths.runner}' "$@"\n`);
  const manager = createSessionManager({
    ...rest,
    paths: { ...paths, runner: held },
    cwd: project.directory,
    env: project.env,
    uid: process.getuid?.() ?? 0,
    stateDir: null,
  });
  const started = manager.start({ task: 'quick' }).then(() => 'started', String);
  const id = await eventually('it is claimed', async () => (await project.list())[0]?.id);
  await eventually('its runner is held', () => project.marked(id).length > 0);
  const open = (): void => {
    // Not waiting for a reader: there would be none if the runner were gone.
    const pipe = openSync(gate, constants.O_WRONLY | constants.O_NONBLOCK);
    writeFileSync(pipe, '\n');
    closeSync(pipe);
  };
  return { project, id, open, started };
}

test.concurrent('a turn that is killed before its runner has shown itself never begins', async (t) => {
  const { project, id, open, started } = await startHeld(t);
  const killing = project.$(`kill ${id}`);
  await eventually('it is called off', () => existsSync(project.turnFile(id, 1, 'cancel.json')));
  open();
  t.expect(await killing).toBe(`${id} killed\n`);
  t.expect(await started).toBe('started');
  t.expect((await project.show(id)).status).toBe('killed');
  t.expect(project.runs()).toEqual([]);
  const exit = JSON.parse(readFileSync(project.turnFile(id, 1, 'exit.json'), 'utf8'));
  t.expect(exit).toMatchObject({ why: 'cancelled', cancelled: true });
});

test.concurrent('a runner that never shows itself is ended, and its turn is killed, not failed', async (t) => {
  const { project, id, started } = await startHeld(t);
  t.expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  t.expect(project.marked(id)).toEqual([]);
  t.expect(await started).toContain('did not start');
  t.expect(await project.show(id)).toMatchObject({ status: 'killed', error: null });
  t.expect(project.runs()).toEqual([]);
  t.expect(await project.$(`rm ${id}`)).toBe(`${id}\n`);
});

test.concurrent('a turn whose launcher gave up on its runner is never begun late', async (t) => {
  const { project, id, open, started } = await startHeld(t);
  t.expect(await started).toContain('did not start: its runner gave no sign of life');
  t.expect(await project.show(id)).toMatchObject({ status: 'failed', error: { code: 'spawn_error' } });
  open();
  await eventually('the runner has come and gone', () => project.marked(id).length === 0);
  t.expect(project.runs()).toEqual([]);
  t.expect((await project.show(id)).status).toBe('failed');
});
