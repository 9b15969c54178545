import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { TrajectoryStep } from '../../src/core/conversation/trajectory.ts';
import { createShellProject } from '../helpers/project.ts';

/** A session of one turn whose agent keeps a file of its conversation, as Codex does. */
async function createRemembered() {
  const project = createShellProject();
  project.env['FAKE_AGENT_THREADS'] = '1';
  const id = await project.ended(['quick']);
  const launched = (of: string, turn: number) =>
    JSON.parse(fs.readFileSync(project.turnFile(of, turn, 'launch.json'), 'utf8'));
  const inject = async (to: string): Promise<void> => {
    await project.ok(['inject', to, '--wait', 'quick']);
  };
  await inject(id);
  const thread: string = launched(id, 2).thread_id;
  const file = join(project.base, `home/.codex/sessions/2026/11/20/rollout-x-${thread}.jsonl`);
  fs.mkdirSync(dirname(file), { recursive: true });
  /** Lines that the agent adds to its file. */
  const add = (...payloads: readonly object[]): void =>
    fs.appendFileSync(file, payloads.map((payload) => `${JSON.stringify({ payload })}\n`).join(''));
  add({ type: 'session_meta' });
  return { project, id, thread, file, add, inject, launched };
}

const tokenCount = (total_tokens: number, model_context_window: number | null) => ({
  type: 'token_count',
  info: { last_token_usage: { total_tokens }, model_context_window },
});

test('a conversation is compacted once its context is fuller than that, and else says how full it is', async () => {
  const { project, id, add, file } = await createRemembered();
  const compacted = async (share: string) => {
    const { code, stdout, stderr } = await project.zwarm(['compact', id, '--if-over', share], { tty: true });
    expect([code, stdout]).toEqual([0, `${id}\n`]);
    return stderr;
  };
  const unknown = 'not compacted: it is not known how full the context is';
  expect(await compacted('0.001')).toContain(unknown);
  add(tokenCount(5000, null));
  expect(await compacted('0.001')).toContain(unknown);
  add(tokenCount(99, 10_000), tokenCount(6050, 10_000));
  expect(await compacted('0.605')).toContain(
    'not compacted: its context is 60 % full (6,050 of 10,000 tokens)',
  );
  // What cannot be read says nothing.
  fs.renameSync(file, `${file}.old`);
  fs.mkdirSync(file);
  expect(await compacted('0.001')).toContain(unknown);
  fs.rmdirSync(file);
  fs.renameSync(`${file}.old`, file);
  expect(await project.show(id)).toMatchObject({ turn: 2 });
  expect(await compacted('0.604')).not.toContain('not compacted');
  expect((await project.show(id)).turns.map(({ kind }) => kind)).toEqual(['prompt', 'prompt', 'compact']);
});

test('a step has the time of what the agent wrote down, in the turn in whose time that was', async () => {
  const { project, id, add, file } = await createRemembered();
  const trajectory = async (...more: string[]): Promise<(number | null)[][]> => {
    const steps: TrajectoryStep[] = JSON.parse(await project.ok(['trajectory', id, '--json', ...more]));
    const msOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));
    return steps.map(({ turn, started_at, ended_at }) => [turn, msOf(started_at), msOf(ended_at)]);
  };
  expect(await trajectory()).toEqual([
    [1, null, null],
    [2, null, null],
  ]);
  // Two turns a minute apart, each of one second.
  const noon = Date.parse('2026-11-20T12:00:00Z');
  for (const turn of [1, 2]) {
    const iso = (ms: number) => new Date(noon + turn * 60_000 + ms).toISOString();
    for (const [name, key, at] of [
      ['launch.json', 'at', iso(0)],
      ['exit.json', 'ended_at', iso(1000)],
    ] as const) {
      const path = project.turnFile(id, turn, name);
      fs.writeFileSync(path, JSON.stringify({ ...JSON.parse(fs.readFileSync(path, 'utf8')), [key]: at }));
    }
  }
  fs.rmSync(project.turnFile(id, 1, '../../summary.json'));
  const said = (text: string, started_at_ms: number, completed_at_ms: number) => ({
    type: 'item_completed',
    item: { type: 'AgentMessage', content: [{ type: 'Text', text }] },
    started_at_ms: noon + started_at_ms,
    completed_at_ms: noon + completed_at_ms,
  });
  // Of the same words: before the first turn, of the second one, and longer than that.
  add(said('done', 57_900, 58_500), said('done', 120_000, 123_100), { type: 'other' });
  expect((await trajectory()).map(([, ms]) => ms)).toEqual([null, null]);
  add(said('else', 60_000, 60_500), said('done', 118_000, 123_000), said('done', 58_000, 63_000));
  expect(await trajectory()).toEqual([
    [1, noon + 58_000, noon + 63_000],
    [2, noon + 118_000, noon + 123_000],
  ]);
  expect(await trajectory('--turn', '2')).toEqual([[2, noon + 118_000, noon + 123_000]]);
  for (const full of [[], ['--full']]) {
    const { messages } = await project.show(id, full);
    expect(messages.filter(({ role }) => role === 'assistant')).toMatchObject([
      { turn: 1, timestamp: new Date(noon + 63_000).toISOString() },
      { turn: 2, timestamp: new Date(noon + 123_000).toISOString() },
    ]);
  }
  fs.rmSync(file);
  expect((await trajectory()).map(([, ms]) => ms)).toEqual([null, null]);
  expect((await project.show(id)).messages.at(-1)).toMatchObject({ role: 'assistant', timestamp: null });
});

test('the model that really ran is the one that the agent’s file names last, near its end', async () => {
  const { project, id, file, inject } = await createRemembered();
  const used = async () => {
    fs.rmSync(project.turnFile(id, 1, '../../summary.json'), { force: true });
    const [row] = await project.list();
    expect((await project.show(id)).model_used).toBe(row?.model_used);
    return row?.model_used;
  };
  expect(await used()).toBeNull();
  const context = (model: unknown, timestamp = '2026-11-20T10:00:00.000Z'): void =>
    fs.appendFileSync(file, `${JSON.stringify({ timestamp, type: 'turn_context', payload: { model } })}\n`);
  context('gpt-old');
  context('gpt-5.5');
  for (const none of [5, '', '  ']) context(none);
  context('no time', 'soon');
  expect(await used()).toBe('gpt-5.5');
  // The thread goes on elsewhere: with what was not what ran here.
  context('gpt-later', '2099-11-20T10:00:00.000Z');
  expect(await used()).toBe('gpt-5.5');
  expect((await project.zwarm(['show', id], { tty: true })).stdout).toContain('codex gpt-5.5');
  // An answer says that it is one.
  const quoted = JSON.stringify({ type: 'x', payload: { type: 'turn_context', model: 'no' } });
  fs.appendFileSync(file, `${quoted}\n${'x'.repeat(1 << 20)}\n`);
  expect(await used()).toBe('gpt-5.5');
  fs.appendFileSync(file, `${'x'.repeat(1 << 22)}\n`);
  expect(await used()).toBeNull();
  context(`${'m'.repeat(200)}`);
  expect(await used()).toHaveLength(100);
  // Lists keep what they have found.
  await inject(id);
  fs.rmSync(file);
  fs.mkdirSync(file);
  expect(await used()).toBeNull();
});

test('a fork goes on in a thread of its own while the agent’s file is as it was, else from a transcript', async () => {
  const { project, id, thread, add, inject, launched } = await createRemembered();
  const fork = async (...args: string[]) => (await project.ok(['fork', id, '-q', ...args])).trim();
  const [early, native, late] = [await fork('--turn', '1'), await fork(), await fork()];
  const { forked_from } = await project.show(native);
  expect(forked_from).toMatchObject({ id, turn: 2 });
  // The thread had gone on after the first turn already.
  await inject(early);
  expect(launched(early, 2)).toMatchObject({
    how: 'replay',
    why: expect.stringContaining('has gone on since'),
  });
  await inject(native);
  expect(launched(native, 3)).toMatchObject({ how: 'native', thread_id: thread, forks: true, why: null });
  // A fork of a fork, while nothing has been added, and once that has.
  const again = (await project.ok(['fork', late, '-q'])).trim();
  await inject(again);
  expect(launched(again, 3)).toMatchObject({ how: 'native', thread_id: thread, forks: true });
  add({ type: 'more' });
  await inject(late);
  expect(launched(late, 3)).toMatchObject({
    how: 'replay',
    why: 'the thread that it was forked from has gone on since, or may have',
  });
  // What belongs to the parent goes on in its own thread.
  await inject(id);
  expect(launched(id, 3)).toMatchObject({ how: 'native', thread_id: thread, forks: false });
});
