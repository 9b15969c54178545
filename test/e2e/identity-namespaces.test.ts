import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished } from 'vitest';
import { IS_ROOT, type Need, testAsRoot } from '../helpers/as-root.ts';
import { bundled } from '../helpers/bundled.ts';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';
import { createShellProject, eventually, hasEnded, runProgram, ZWARM } from '../helpers/project.ts';

const CONTAINER = ['--pid', '--fork', '--kill-child', '--mount-proc'];
/** Root of a container may not make another one. */
const CONTAINERS: Need = {
  what: 'pid namespaces',
  met: IS_ROOT && spawnSync('unshare', [...CONTAINER, 'true']).status === 0,
};

testAsRoot(
  'a session that runs in a container is unknown outside of it, and is left alone',
  async () => {
    const project = createShellProject();
    const { directory: cwd, env } = project;
    const script = '"$0" "$1" start hang; exec sleep 1000';
    const args = [...CONTAINER, 'sh', '-c', script, process.execPath, ZWARM];
    const container = spawn('unshare', args, { cwd, env, stdio: 'ignore' });
    onTestFinished(() => void container.kill('SIGKILL'));
    // Its pid in there means somebody else out here.
    await eventually('the agent runs', () => project.runs().length === 1);
    const id = (await project.list())[0]?.id ?? '';
    const inside = project.marked(id);
    expect(inside.length).toBeGreaterThanOrEqual(2);
    expect(await project.show(id)).toMatchObject({ status: 'unknown', pid: null });
    for (const line of [`kill ${id}`, `inject ${id} more`, `rm ${id}`, `wait ${id}`])
      expect(await project.$(line)).toContain('[exit 4]');
    expect(inside.filter(hasEnded)).toEqual([]);
    container.kill('SIGKILL');
    await eventually('all of it has ended', () => project.marked(id).length === 0);
    // Gone, perhaps, and perhaps running on another host.
    expect((await project.show(id)).status).toBe('unknown');
  },
  CONTAINERS,
);

for (const [place, options] of [
  ['a container with its own /proc', CONTAINER],
  ['a container with the /proc of its host', ['--pid', '--fork', '--kill-child']],
  // Where processes do not let us look.
  ['a user namespace', ['--user', '--map-current-user']],
] as const)
  testAsRoot(
    `from ${place} a session of its host is unknown, and is left alone`,
    async () => {
      const project = createShellProject();
      const id = await project.start(['hang']);
      const { directory: cwd, env } = project;
      const within = (...args: string[]) =>
        runProgram('unshare', [...options, process.execPath, ZWARM, ...args], { cwd, env });
      expect(JSON.parse((await within('ls', '--json')).stdout)).toMatchObject([{ id, status: 'unknown' }]);
      for (const verb of ['inject', 'rm', 'kill'])
        expect(await within(verb, id, ...(verb === 'inject' ? ['x'] : []))).toMatchObject({
          code: 4,
          stdout: '',
        });
      expect((await project.show(id)).status).toBe('running');
      expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
    },
    CONTAINERS,
  );

testAsRoot(
  'where /proc shows the pids of others nobody is seen, and nobody can be signalled',
  async () => {
    const program = await bundled(`
import { markedProcesses } from './src/process/turn-processes.ts';
import { livenessOf, ownIdentity } from './src/process/identity.ts';
process.stdout.write(JSON.stringify([livenessOf(ownIdentity()), markedProcesses().length]));
`);
    const look = (...options: string[]) =>
      runProgram('unshare', ['--pid', '--fork', ...options, process.execPath, program], { env: process.env });
    expect((await look()).stdout).toBe('["cannot_tell",0]');
    expect((await look('--mount-proc')).stdout).toBe('["yes",1]');
  },
  CONTAINERS,
);

testAsRoot('processes of others, which may not be looked at, are in nobody’s way', async () => {
  const { ordinary, endAll, runs, marked } = createOrdinaryProject();
  onTestFinished(endAll);
  const id = (await ordinary(['start', 'hang'])).stdout.trim();
  await eventually('the agent runs', () => runs().length === 1);
  const show = async () => JSON.parse((await ordinary(['show', id, '--json'])).stdout);
  // Without its runner, all processes must be looked at.
  process.kill((await show()).pid, 'SIGKILL');
  await eventually('the runner is gone', () => marked(id).length === 1);
  expect(await show()).toMatchObject({ status: 'running', pid: null });
  const killed = await ordinary(['kill', id, '--grace', '10s']);
  expect(killed).toMatchObject({ code: 0, stdout: `${id} killed\n` });
  expect(marked(id)).toEqual([]);
});
