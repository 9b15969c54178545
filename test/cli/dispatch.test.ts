import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSessionManager } from '../../src/manager/session-manager.ts';
import { hostIdentity, statOf } from '../../src/process/identity.ts';
import { putWish } from '../../src/store/dispatchers.ts';
import { claimGeneration, readGeneration } from '../../src/store/generations.ts';
import { dispatchersDir } from '../../src/store/layout.ts';
import { place } from '../helpers/config.ts';
import { testInstallation } from '../helpers/context.ts';
import { createShellProject, eventually, type Project, processesWith } from '../helpers/project.ts';

/* One process at a time looks at the queue of a store. */

const [A, B, C] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as const;
const now = (id: string) => ({ newId: id, now: Date.parse('2030-01-01T00:00:00Z') });

/** A project with a turn that runs, and another one that waits for its place. */
async function createWaiting() {
  const project = createShellProject();
  place(join(project.base, 'home/.config/zwarm/config.toml'), 'max_running = 1\n');
  await project.ok(['start', '-q', `gate ${join(project.directory, 'a')}`], now(A));
  await project.ok(['start', '-q', '--queue', 'x'], now(B));
  return { ...project, wishes: join(dispatchersDir(project.store()), 'wishes') };
}

/** Another process that looks at the queue, or would if it lived on: one that does nothing. */
async function anotherDispatcher({ store }: Pick<Project, 'store'>) {
  const child = spawn('sleep', ['86400'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = (signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL'): Promise<unknown> => {
    child.kill(signal);
    return signal === 'SIGKILL' ? ended : eventually('it is halted', () => statOf(child.pid ?? 0)?.halted);
  };
  onTestFinished(async () => void (await end()));
  const { pid = 0 } = child;
  const claimer = { ...hostIdentity(), pid, start: statOf(pid)?.start ?? '' };
  const directory = dispatchersDir(store());
  expect(claimGeneration(directory, readGeneration(directory), claimer, `${pid}`)).not.toBe(null);
  return end;
}

test('the end of a turn leaves the queue to a process that looks at it, and a wish that outlives that one', async () => {
  const project = await createWaiting();
  const { $, ok, wishes } = project;
  expect(readdirSync(wishes)).toEqual([]);
  const end = await anotherDispatcher(project);
  writeFileSync(join(project.directory, 'a'), '');
  await project.settled(A);
  expect((await project.show(B)).status).toBe('pending');
  expect(readdirSync(wishes)).toHaveLength(1);
  await end();
  // Whatever looks next.
  await ok(['name', A, 'first']);
  expect((await project.show(B)).status).toBe('pending');
  await ok(['wait', '-q', B]);
  expect(readdirSync(wishes)).toEqual([]);
  expect(await $('queue')).toBe('');
});

test('a process that was halted while it looked at the queue, by Ctrl-Z for example, is in nobody’s way', async () => {
  const project = await createWaiting();
  const end = await anotherDispatcher(project);
  await end('SIGSTOP');
  writeFileSync(join(project.directory, 'a'), '');
  await project.settled(A);
  expect((await project.show(B)).pending).toBe(null);
  await project.settled(B);
});

test('what is queued by a command, and what it asks to begin, has begun when it ends, whoever does that', async () => {
  const project = await createWaiting();
  const { $, ok, wishes } = project;
  writeFileSync(join(project.directory, 'a'), '');
  await eventually('the first has ended', async () => (await project.show(A)).status === 'completed');
  const end = await anotherDispatcher(project);
  const isWished = (): boolean => readdirSync(wishes).length > 0;
  const run = $('queue run');
  await eventually('the command waits for the other one', isWished);
  await end();
  expect(await run).toBe(`${B} turn 1 started\n`);
  await project.settled(B);
  const endAgain = await anotherDispatcher(project);
  const start = ok(['start', '--queue', 'x'], now(C));
  await eventually('the command waits for the other one', isWished);
  await endAgain();
  expect(await start).toBe(C);
  expect((await project.show(C)).pending).toBe(null);
  await project.settled(C);
});

test('queue run tells what another process has begun instead', async () => {
  const project = await createWaiting();
  const { $, wishes } = project;
  writeFileSync(join(project.directory, 'a'), '');
  await eventually('the first has ended', async () => (await project.show(A)).status === 'completed');
  const end = await anotherDispatcher(project);
  const run = $('queue run');
  const [wish = ''] = await eventually('it wishes', () => {
    const found = readdirSync(wishes);
    return found.length > 0 && found;
  });
  // As that process would: the turn begins, and the wish is fulfilled.
  const other = $('queue run');
  await end();
  expect([await run, await other].sort()).toEqual([`${B} turn 1 started\n`, `${B} turn 1 started\n`]);
  expect(readdirSync(wishes)).not.toContain(wish);
});

test('what others wish during the look of a command is left to a process of its own', async () => {
  const project = await createWaiting();
  const { ok, store, wishes } = project;
  const isLooking = (): boolean => readGeneration(dispatchersDir(store())).claimer !== null;
  let wished = 0;
  const during = (): number => {
    if (isLooking() && wished++ === 0) putWish(store(), 'of-another');
    return Date.now();
  };
  await ok(['queue', 'run'], { now: during });
  expect(wished).toBeGreaterThan(0);
  await eventually('that one has looked', () => readdirSync(wishes).length === 0 && !isLooking());
  expect((await project.show(B)).pending?.reason).toBe('slot');
});

test('a wait for many looks at the queue where nobody does, and asks nobody else to', async () => {
  const project = await createWaiting();
  const { ok, base, directory: cwd, env, state, wishes } = project;
  for (let i = 0; i < 4; i += 1) await ok(['start', '-q', '--queue', 'x']);
  const node = join(base, 'node');
  writeFileSync(node, '#!/bin/sh\nexec sleep 5\n', { mode: 0o755 });
  const { paths, ...rest } = testInstallation();
  const context = { ...rest, cwd, env, uid: process.getuid?.() ?? 0, stateDir: state };
  const manager = createSessionManager({ ...context, paths: { ...paths, node } });
  const waiting = await project.list(['--status', 'pending']);
  await Promise.all(waiting.map(({ id }) => manager.wait(id, AbortSignal.abort())));
  expect([waiting.length, processesWith(`ZWARM_DIR=${state}`)]).toEqual([5, []]);
  expect(readdirSync(wishes)).toEqual([]);
});
