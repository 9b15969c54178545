import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { createSessionManager } from '../../src/manager/session-manager.ts';
import { parse } from '../../src/store/records.ts';
import { copiedInstallation, SIGN_OF_LIFE_MS } from '../helpers/context.ts';
import { createShellProject, eventually, hasEnded, type Project, ZWARM } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

/** Begins to kill a session in a process of its own, and kills that as soon as `reached` is so. */
async function killKilled({ directory: cwd, env }: Project, id: string, reached: () => boolean) {
  const args = [ZWARM, 'kill', id, '--grace', '600s'];
  const commander = spawn(process.execPath, args, { cwd, env, stdio: 'ignore' });
  const ended = once(commander, 'exit');
  await eventually('it is at it', reached);
  commander.kill('SIGKILL');
  await ended;
}

function exitOf(project: Project, id: string): ReturnType<typeof parse.exit> {
  return parse.exit(readFileSync(project.turnFile(id, 1, 'exit.json'), 'utf8'));
}

test('kill ends children that ignore signals, have sessions of their own, lost their parents, stopped or hide', async () => {
  const project = createShellProject();
  const forever = 'trap "" INT TERM HUP; while :; do sleep 1; done';
  const children = {
    ignores: `setsid sh -c 'echo $$ > ignores; ${forever}' &`,
    orphan: `(setsid sh -c 'echo $$ > orphan; ${forever}' &);`,
    stopped: `sh -c 'echo $$ > stopped; kill -STOP $$; ${forever}' &`,
    apart: `setsid sh -c 'echo $$ > apart; kill -STOP $$; exec sleep 1000' &`,
    hidden: `env -i setsid sh -c 'echo $$ > hidden; ${forever}' &`,
    group: `env -i sh -c 'echo $$ > group; exec sleep 1000' &`,
  };
  const id = await project.begin(`run ${Object.values(children).join(' ')} echo $$ > agent; exec sleep 1000`);
  const names = [...Object.keys(children), 'agent'];
  const pids = await Promise.all(names.map(async (name) => Number(await project.written(name))));
  expect(pids.map(hasEnded)).toEqual(names.map(() => false));
  expect(await project.$(`kill ${id} --grace 0.2s`)).toBe(`${id} killed\n`);
  // With no waiting: it has said that they are gone, and how it ended is on record.
  expect(names.filter((_, i) => !hasEnded(pids[i] ?? 0))).toEqual([]);
  expect(exitOf(project, id)).toMatchObject({ cancelled: true });
  expect((await project.show(id)).status).toBe('killed');
});

test('what outlives an agent that obeys at once is told to end too', async () => {
  const project = createShellProject();
  const id = await project.begin("run setsid sh -c 'echo $$ > child; exec sleep 1000' & wait; exit 0");
  const child = Number(await project.written('child'));
  // Nobody waits for the child to obey a signal that it did not get.
  expect(await project.zwarm(['kill', id, '--grace', '600s'])).toMatchObject({ code: 0 });
  expect(hasEnded(child)).toBe(true);
});

test('an agent whose runner was killed is ended, and kill records the end in its place', async () => {
  const project = createShellProject();
  const id = await project.begin('stubborn');
  const { pid } = await project.show(id);
  process.kill(pid ?? 0, 'SIGKILL');
  await eventually('the runner is gone', () => hasEnded(pid ?? 0));
  expect(await project.show(id)).toMatchObject({ status: 'running', pid: null });
  expect(await project.$(`kill ${id} --grace 0.1s`)).toBe(`${id} killed\n`);
  expect(project.marked(id)).toEqual([]);
  const nobodyKnows = { code: null, ended_at: null, uptime: null, events_bytes: null };
  expect(exitOf(project, id)).toEqual({ v: 1, why: null, detail: null, cancelled: true, ...nobodyKnows });
  expect(await project.show(id)).toMatchObject({ status: 'killed', exit_code: null, error: null });
  expect(await project.$(`kill ${id}`)).toContain('[exit 4]');
  expect(await project.$(`inject ${id} quick --wait`)).toBe('done\n');
});

test('a stopped agent and its stopped runner are ended, and the runner records it', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  for (const pid of project.marked(id)) process.kill(pid, 'SIGSTOP');
  expect(await project.$(`kill ${id} --grace 600s`)).toBe(`${id} killed\n`);
  // The runner's own record: kill knows no exit code.
  expect(exitOf(project, id)).toMatchObject({ code: 130, cancelled: true });
});

test('a kill that was killed while the agent resisted can be repeated', async () => {
  const project = createShellProject();
  const id = await project.begin('stubborn');
  await killKilled(project, id, () => existsSync(project.turnFile(id, 1, 'cancel.json')));
  expect((await project.show(id)).status).toBe('running');
  expect(await project.$(`kill ${id} --grace 0s`)).toBe(`${id} killed\n`);
  // The runner's own record: it still waited for its agent.
  expect(exitOf(project, id)).toMatchObject({ code: 137, cancelled: true });
  await eventually('nothing is left', () => project.marked(id).length === 0);
});

test('a kill that was killed after the agent had ended can be repeated, also with --all', async () => {
  const project = createShellProject();
  const prompt = `run setsid sh -c 'trap "" INT TERM; echo $$ > child; exec sleep 1000' & exec sleep 1000`;
  const id = await project.begin(prompt);
  const child = Number(await project.written('child'));
  await killKilled(project, id, () => existsSync(project.turnFile(id, 1, 'exit.json')));
  expect((await project.show(id)).status).toBe('killed');
  const recorded = exitOf(project, id);
  expect(hasEnded(child)).toBe(false);
  const other = await project.begin('quick');
  expect((await project.zwarm(['wait', other])).code).toBe(0);
  expect(await project.$('kill --all --grace 0s')).toBe(`${id} 1 process ended\n`);
  expect(hasEnded(child)).toBe(true);
  expect(recorded).toMatchObject({ code: 130, cancelled: true });
  expect(exitOf(project, id), 'an end is never changed').toEqual(recorded);
  expect(await project.$(`kill ${id}`)).toContain('[exit 4]');
  expect(await project.$('kill --all')).toBe('');
});

test('what cannot be ended is named, and nobody says that it was', async () => {
  const project = createShellProject();
  await project.ok(['config', 'set', 'end_others', 'true']);
  // The agent ends its runner, and kills its session itself: it cannot end what it runs in.
  const kill = '"$ZWARM_NODE" "$ZWARM_MAIN" kill $ZWARM_SESSION_ID --grace 0s > out 2>&1; echo $? > code';
  const prompt = `run setsid sh -c 'echo $$ > child; exec sleep 1000' & kill -KILL $PPID; ${kill}; exec sleep 1000`;
  const id = await project.begin(prompt);
  expect(await project.written('code')).toBe('1');
  const agent = project.runs()[0]?.pid;
  expect(await project.written('out')).toMatch(
    new RegExp(`^zwarm: processes of ${id} could not be ended: ${agent}\n`),
  );
  expect(hasEnded(Number(await project.written('child')))).toBe(true);
  expect(await project.show(id)).toMatchObject({ status: 'running' });
  expect(await project.zwarm(['kill', id])).toMatchObject({ code: 0 });
  expect(project.marked(id)).toEqual([]);
  expect(exitOf(project, id)).toMatchObject({ code: null, why: null, cancelled: true });
});

test('an agent cannot kill its own session, which goes on unharmed; kill --all ends the others', async () => {
  const project = createShellProject();
  // Those of others, too, where the user allows it.
  await project.ok(['config', 'set', 'end_others', 'true']);
  const other = await project.begin('hang');
  const kill = (args: string, to: string) =>
    `"$ZWARM_NODE" "$ZWARM_MAIN" kill ${args} > ${to} 2> ${to}.err; echo $? > ${to}.code`;
  const child = "setsid sh -c 'echo $$ > child; exec sleep 1000' &";
  const id = await project.begin(
    `run ${child} ${kill('$ZWARM_SESSION_ID', 'one')}; ${kill('--all', 'all')}; gate`,
  );
  for (const name of ['one', 'all']) {
    expect(await project.written(`${name}.code`)).toBe('1');
    expect(await project.written(`${name}.err`)).toContain(`${id} cannot be ended from inside`);
  }
  expect(await project.written('all')).toBe(`${other} killed`);
  expect(hasEnded(Number(await project.written('child')))).toBe(false);
  expect(existsSync(project.turnFile(id, 1, 'cancel.json'))).toBe(false);
  expect(await project.zwarm(['wait', id])).toMatchObject({ code: 0, stdout: `${id} completed\n` });
  process.kill(Number(await project.written('child')), 'SIGKILL');
});

test('an agent cannot interrupt its own turn, nor kill it, and nothing is recorded of that', async () => {
  const project = createShellProject();
  const verbs = {
    inject: 'inject --interrupt $id more',
    kill: 'kill $id',
    forced: 'kill --force $id',
  };
  // As the user, for whom it passes as soon as it forgets whose agent it is.
  const lines = Object.entries(verbs).map(
    ([name, line]) =>
      `env -u ZWARM_SESSION_ID "$ZWARM_NODE" "$ZWARM_MAIN" ${line} > ${name} 2>&1 < /dev/null; echo $? > ${name}.code`,
  );
  const wait = 'until [ -e go ]; do sleep 0.01; done';
  const id = await project.begin(`run id=$ZWARM_SESSION_ID; ${wait}; ${lines.join('; ')}; exec sleep 86400`);
  const before = snapshot(project.store());
  writeFileSync(join(project.directory, 'go'), '');
  for (const name of Object.keys(verbs)) {
    const code = await project.written(`${name}.code`);
    const said = await project.written(name);
    expect([name, code, said]).toEqual([
      name,
      '1',
      expect.stringContaining(`${id} cannot be ended from inside: this command is one of its own processes`),
    ]);
  }
  expect(snapshot(project.store())).toEqual(before);
  expect(await project.show(id)).toMatchObject({ status: 'running', turn: 1 });
});

test('nor can it once it has spoilt its own records', async () => {
  const project = createShellProject();
  const spoil = 'echo > "$ZWARM_STORE/sessions/$id/turns/1/request.json"';
  const kill = 'env -u ZWARM_SESSION_ID "$ZWARM_NODE" "$ZWARM_MAIN" kill $id > said 2>&1';
  const id = await project.begin(
    `run id=$ZWARM_SESSION_ID; ${spoil}; ${kill}; echo $? > code; exec sleep 86400`,
  );
  expect(await project.written('code')).toBe('1');
  expect(await project.written('said')).toContain(`${id} cannot be ended from inside`);
  expect(project.marked(id).length).toBeGreaterThan(0);
  expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
});

// Concurrent: each of them waits for seconds until a runner counts as dead.

/** Starts a session whose runner does nothing before the gate is opened; its id, and what comes of the start. */
async function startHeld({ onTestFinished }: TestContext, signOfLifeMs = SIGN_OF_LIFE_MS) {
  const project = createShellProject('project', onTestFinished);
  const gate = join(project.base, 'gate');
  const held = join(project.base, 'held-runner.sh');
  const { paths, ...rest } = copiedInstallation();
  execFileSync('mkfifo', [gate]);
  writeFileSync(held, `read -r go < '${gate}'\nexec /bin/sh '${paths.runner}' "$@"\n`);
  const manager = createSessionManager({
    ...rest,
    paths: { ...paths, runner: held },
    cwd: project.directory,
    env: project.env,
    uid: process.getuid?.() ?? 0,
    stateDir: null,
    signOfLifeMs,
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
  t.expect(exitOf(project, id)).toMatchObject({ why: 'cancelled', cancelled: true });
});

test.concurrent('a runner that never shows itself is ended, and its turn is killed, not failed', async (t) => {
  // Its launcher gives up while kill still waits for the runner to record the end.
  const { project, id, started } = await startHeld(t, 5000);
  t.expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  t.expect(project.marked(id)).toEqual([]);
  t.expect(await started).toContain('did not start');
  t.expect(await project.show(id)).toMatchObject({ status: 'killed', error: null });
  t.expect(project.runs()).toEqual([]);
  t.expect(await project.$(`rm ${id}`)).toBe(`${id}\n`);
});

test.concurrent('a turn whose launcher gave up on its runner is never begun late', async (t) => {
  const { project, id, open, started } = await startHeld(t, 500);
  t.expect(await started).toContain('did not start: its runner gave no sign of life');
  t.expect(await project.show(id)).toMatchObject({ status: 'failed', error: { code: 'spawn_error' } });
  open();
  await eventually('the runner has come and gone', () => project.marked(id).length === 0);
  t.expect(project.runs()).toEqual([]);
  t.expect((await project.show(id)).status).toBe('failed');
});
