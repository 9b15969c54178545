import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCodexProject } from '../helpers/codex.ts';
import { place } from '../helpers/config.ts';
import { eventually, processesWith } from '../helpers/project.ts';

/* A night with the real Codex. With SOAK_SCALE=3 of as many tasks as in a long one. */

const COUNT = 10 * Number(process.env['SOAK_SCALE'] || 1);
const PLACES = 3;
const HOUR_MS = 3_600_000;

test.concurrent('a usage limit costs sleep, not work: what waits goes on when it ends, each task once', async (t) => {
  // Codex tells it without its seconds, by the clock of its time zone.
  const reset = Math.floor((Date.now() + HOUR_MS) / 60_000) * 60_000;
  const limit = { type: 'usage_limit_reached', plan_type: 'plus', resets_at: reset / 1000 };
  const well = [{ message: 'well' }];
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      rules: [{ prompt: 'task [12]$', steps: well }],
      steps: [{ http: { status: 429, body: { error: limit } }, times: 100 }],
    },
  });
  const { ok, $, list, model } = project;
  Object.assign(project.env, { TZ: 'Asia/Kathmandu' });
  place(join(project.base, 'home/.config/zwarm/config.toml'), `max_running = ${PLACES}\n`);
  const ids: string[] = [];
  // In a process of its own: what the end of a turn starts is started by what its runner calls.
  for (let i = 1; i <= COUNT; i += 1) {
    const { code, stdout } = await project.asProcess(['start', '-q', '--queue', `task ${i}`]);
    expect(code).toBe(0);
    ids.push(stdout.trim());
  }
  const byStatus = async (): Promise<Record<string, number>> => {
    const statuses = (await list(['--all'])).map(({ status }) => status);
    return Object.fromEntries(statuses.map((one) => [one, statuses.filter((other) => other === one).length]));
  };
  const waiting = async () => (await list(['--all', '--status', 'pending'])).map(({ pending }) => pending);
  const isHeld = async () => (await waiting()).every((pending) => pending?.reason === 'hold');
  await eventually('all waits', async () => !('running' in (await byStatus())) && isHeld());
  const { completed = 0, failed = 0, pending = 0 } = await byStatus();
  expect([completed, completed + failed + pending]).toEqual([2, COUNT]);
  expect(failed).toBeLessThanOrEqual(PLACES);
  const asked = await model.requests();
  expect(asked.length).toBe(completed + failed);
  const [spent] = await list(['--all', '--status', 'failed']);
  expect(spent?.error).toMatchObject({
    code: 'usage_limit',
    retry_at: new Date(reset).toISOString(),
  });
  const notBefore = new Date(reset + 60_000).toISOString();
  expect((await waiting())[0]).toMatchObject({
    not_before: notBefore,
    detail: expect.stringMatching(/^codex: You’ve hit your usage limit.*; until .*; it goes on then$/),
  });
  // Too early.
  expect(await $('wake', { now: reset - 1000 })).toBe('');
  await model.says({ steps: well });
  await ok(['wake'], { now: reset + 60_000 });
  await ok(['wait', '-q', ...ids.slice(2 + failed)]);
  expect(await byStatus()).toEqual({ completed: COUNT - failed, failed });
  const prompts = (await model.requests()).map(({ body }) => {
    const said = body.input.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []);
    return said.findLast((text) => /^task \d+$/.test(text));
  });
  expect([...prompts].sort()).toEqual(ids.map((_, i) => `task ${i + 1}`).sort());
});

test.concurrent('a server that is busy twice costs two repetitions, in the thread of the agent', async (t) => {
  const away = { http: { status: 503, body: { error: { message: 'try later' } } }, times: 100 };
  const project = await createCodexProject(t.onTestFinished, { script: { steps: [away] } });
  const { ok, $, model } = project;
  const id = await ok(['start', '-q', '--retry', '3', 'the task']);
  const isToRetry = async (turn: number) => {
    await project.settled(id, turn - 1);
    expect(await project.show(id)).toMatchObject({ turn, pending: { reason: 'retry' } });
  };
  await isToRetry(2);
  expect((await project.show(id)).turns[0]).toMatchObject({ status: 'failed', error: { retryable: true } });
  expect(await $('wake')).toBe('');
  await ok(['wake'], { now: Date.now() + 60_000 });
  await isToRetry(3);
  await model.says({ steps: [{ message: 'well' }] });
  await ok(['wake'], { now: Date.now() + 180_000 });
  expect(await ok(['wait', id])).toBe(`${id} completed`);
  const { turns, last_message } = await project.show(id);
  expect([last_message, turns.map(({ kind, status, how }) => [kind, status, how])]).toEqual([
    'well',
    [
      ['prompt', 'failed', 'fresh'],
      ['retry', 'failed', 'native'],
      ['retry', 'completed', 'native'],
    ],
  ]);
});

const BUSY = 'end=$(($(date +%s) + 10)); while [ "$(date +%s)" -lt "$end" ]; do :; done; echo worked';

test.concurrent.for(['workspace-write', 'danger-full-access'])(
  'a command that hangs is stopped at a limit, one that works is not: %s',
  async (sandbox, t) => {
    // Codex asks its model after half a minute what to do about a command that is not done.
    const call = (shell: string, times = 1) => [
      { message: 'on it', shell, shellArgs: { yield_time_ms: 250_000 }, times },
      { message: 'done' },
    ];
    const project = await createCodexProject(t.onTestFinished, {
      script: { scenarios: { hang: call('sleep 600', 20), work: call(BUSY) } },
    });
    const { ok, $ } = project;
    const nothingIsLeft = (id: string) =>
      eventually('nothing is left', () => processesWith(`ZWARM_SESSION_ID=${id}`).length === 0);
    const timed = await ok(['start', '-q', '-s', sandbox, '--max-time', '4', '[[hang]] it']);
    const silent = await ok(['start', '-q', '-s', sandbox, '--max-silence', '2', '[[hang]] it']);
    const working = await ok(['start', '-q', '-s', sandbox, '--max-silence', '2', '[[work]] on it']);
    await $(`wait ${timed} ${silent} ${working}`);
    for (const id of [timed, silent]) {
      await nothingIsLeft(id);
      expect(await project.show(id)).toMatchObject({ status: 'killed', error: { code: 'limit' } });
    }
    expect(await project.show(working)).toMatchObject({ status: 'completed', last_message: 'done' });
    // In the agent's own thread, with all the time that a slow machine may need.
    expect(await ok(['inject', timed, '--max-time', '10m', '--wait', 'go on'])).toBe('done');
    expect((await project.show(timed)).turns[1]).toMatchObject({ how: 'native' });
  },
);
