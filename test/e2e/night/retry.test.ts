import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../../helpers/config.ts';
import { createShellProject, eventually, type Project } from '../../helpers/project.ts';

/*
 * A message that is repeated where it failed for a reason that passes. Time is moved forward, and nobody sleeps. Concurrent,
 * as each leaves a waker, which looks only every five seconds whether anything still waits.
 */

const failed = (message: string): string =>
  `printf '{"type":"turn.failed","error":{"message":"${message}"}}\\n'; exit 1`;
/** Fails so until somebody has mended it. */
const until = (project: Project, message: string): string =>
  `run [ -e ${join(project.directory, 'mended')} ] || { ${failed(message)}; }`;
const mend = (project: Project): void => writeFileSync(join(project.directory, 'mended'), '');

const later = (minutes: number) => ({ now: Date.now() + minutes * 60_000 });

/** Waits for the end of a turn, after which the next one is a repetition that waits. */
async function isToRetry(project: Project, id: string, turn: number): Promise<void> {
  await project.settled(id, turn - 1);
  expect(await project.show(id)).toMatchObject({ turn, status: 'pending', pending: { reason: 'retry' } });
}

test.concurrent('a message is repeated by new turns until it works, each later than the one before', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const { ok, $, turnFile } = project;
  const env = { SECRET: 'as it was' };
  const message = `${until(project, 'status: 503')}; echo "$SECRET" > secret`;
  const id = await ok(['start', '-q', '--retry', '3', message], { env });
  await isToRetry(project, id, 2);
  const { pending } = await project.show(id);
  expect(pending?.detail).toMatch(
    /^retry 1 of 3, as turn 1 failed: status: 503; until 2.*; it goes on then$/,
  );
  expect(await $('wake')).toBe('');
  expect(await $('wake', later(1))).toBe(`${id} turn 2 started\n`);
  await isToRetry(project, id, 3);
  mend(project);
  // Two minutes now.
  expect(await $('wake', later(1))).toBe('');
  expect(await $('wake', later(3))).toBe(`${id} turn 3 started\n`);
  await ok(['wait', '-q', id]);
  await project.settled(id, 3);
  const { status, turns, messages } = await project.show(id);
  expect([status, turns.map(({ kind, retry, by }) => [kind, retry, by])]).toEqual([
    'completed',
    [
      ['prompt', { number: 0, most: 3 }, 'user'],
      ['retry', { number: 1, most: 3 }, 'user'],
      ['retry', { number: 2, most: 3 }, 'user'],
    ],
  ]);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(await project.written('secret')).toBe('as it was');
  for (const turn of [1, 2, 3]) expect(existsSync(turnFile(id, turn, 'environment'))).toBe(false);
  expect(await $(`show ${id}`)).toContain('retry 2 of 3');
});

test.concurrent('what does not pass by itself is not repeated, and what does is not for ever', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const { ok } = project;
  const broken = await ok(['start', '-q', '--retry', '3', 'break']);
  const limited = await ok([
    'start',
    '-q',
    '--retry',
    '3',
    `run ${failed('You have hit your usage limit.')}`,
  ]);
  const busy = await ok(['start', '-q', '--retry', '1', `run ${failed('at capacity')}`]);
  for (const id of [broken, limited]) await project.settled(id);
  await isToRetry(project, busy, 2);
  await ok(['queue', 'run']);
  await project.settled(busy, 2);
  expect(existsSync(project.turnFile(busy, 2, 'environment'))).toBe(false);
  for (const [id, turns] of [
    [broken, 1],
    [limited, 1],
    [busy, 2],
  ] as const)
    expect(await project.show(id)).toMatchObject({ status: 'failed', turn: turns });
});

test.concurrent('wait and --wait wait for the repetitions', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const { ok, zwarm } = project;
  const started = zwarm(['start', '--wait', '--retry', '2', until(project, 'at capacity')]);
  const id = await eventually('it waits', async () => {
    const [row] = await project.list();
    return row?.pending?.reason === 'retry' && row.id;
  });
  const waited = ok(['wait', id]);
  mend(project);
  await ok(['queue', 'run']);
  expect(await started).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(await waited).toBe(`${id} completed`);
});

test.concurrent('a person ends the repetitions: with another message, by taking it back, or by a kill', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const { ok, $ } = project;
  // So late that no repetition begins by itself, however slow the machine is.
  const message = `run ${failed('rate limit reached, try again in 3 hours')}`;
  const begin = async (): Promise<string> => {
    const id = await ok(['start', '-q', '--retry', '3', message]);
    await isToRetry(project, id, 2);
    const { pending } = await project.show(id);
    expect(Date.parse(pending?.not_before ?? '')).toBeGreaterThan(later(60).now);
    return id;
  };
  const [told, killed, taken] = [await begin(), await begin(), await begin()];
  await ok(['inject', told, '-q', '--wait', 'something else']);
  expect((await project.show(told)).turns.map(({ status }) => status)).toEqual([
    'failed',
    'killed',
    'completed',
  ]);
  await ok(['kill', killed]);
  expect(await $(`queue rm ${taken}`)).toBe(`${taken} turn 2 withdrawn\n`);
  for (const id of [killed, taken]) expect((await project.show(id)).status).toBe('failed');
  expect(await $('queue')).toBe('');
  const running = await ok(['start', '-q', '--retry', '3', 'hang']);
  await ok(['kill', running]);
  expect((await project.show(running)).turns).toHaveLength(1);
  expect(existsSync(project.turnFile(running, 1, 'environment'))).toBe(false);
});

test.concurrent('a retry tries the network again, and what waits for that goes on when it works', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const { ok, $ } = project;
  const id = await ok(['start', '-q', '--retry', '1', until(project, 'network is unreachable')]);
  await isToRetry(project, id, 2);
  const other = await ok(['start', '-q', '--queue', 'x']);
  expect((await project.show(other)).pending?.reason).toBe('hold');
  mend(project);
  expect(await $('wake', later(1))).toBe(`${id} turn 2 started\n`);
  await ok(['wait', '-q', id, other]);
});

test.concurrent('a budget of the day that is spent lets what waits go on with the next day', async (t) => {
  const project = createShellProject(undefined, t.onTestFinished);
  const { ok, $ } = project;
  place(join(project.base, 'home/.config/zwarm/config.toml'), 'max_running = 1\n[budget]\nday = "10"\n');
  const first = await ok(['start', '-q', `gate ${join(project.directory, 'mended')}`]);
  const second = await ok(['start', '-q', '--queue', 'x']);
  mend(project);
  await project.settled(first);
  expect((await project.show(second)).pending?.detail).toMatch(
    /^the budget is spent: 15 of 10 tokens today in this project; until 2.*; it goes on then$/,
  );
  expect((await project.show(first)).status).toBe('completed');
  expect(await $('queue run')).toBe('');
  expect((await project.show(second)).pending?.reason).toBe('budget');
  expect(await $('wake', later(24 * 60))).toBe(`${second} turn 1 started\n`);
  await ok(['wait', '-q', second]);
});
