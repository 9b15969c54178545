import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionDetail } from '../../src/core/session.ts';
import { createProject, createShellProject, eventually, ZWARM } from '../helpers/project.ts';

async function talk(first: string, ...others: string[]) {
  const project = createShellProject();
  project.env['FAKE_AGENT_THREADS'] = '1';
  const id = await project.ended([first]);
  const say = (to: string, text: string) => project.ok(['inject', to, '--wait', text]);
  for (const text of others) await say(id, text);
  return {
    ...project,
    project,
    id,
    say,
    launch: (of: string, turn: number): { how: string; why: string | null; thread_id: string | null } =>
      JSON.parse(fs.readFileSync(project.turnFile(of, turn, 'launch.json'), 'utf8')),
    /** What the agent was told last. */
    told: (): string => project.runs().at(-1)?.stdin ?? '',
  };
}

const said = ({ messages }: SessionDetail): string[] =>
  messages.flatMap(({ role, content }) => (role === 'user' ? content : []));

test('forks begin as their parent was, go on by themselves, and survive it', async () => {
  const { project, id, $, say, show, told } = await talk('one', 'two', 'three');
  const [a, b] = [(await $(`fork ${id} --turn 1 -q`)).trim(), (await $(`fork ${id} --turn 2 -q`)).trim()];
  expect(new Set([id, a, b]).size).toBe(3);
  const fork = await show(b);
  expect(said(fork)).toEqual(['one', 'two']);
  // What its parent spent is not its own.
  const own = { name: null, task: 'one', token_usage: null, duration_ms: null };
  expect(fork).toMatchObject({ status: 'ready', turn: null, forked_from: { id, turn: 2 }, ...own });
  // Copies, not links; and it is cached at once.
  const copies = fs.readdirSync(project.turnFile(b, 1, '.')).map((name) => project.turnFile(b, 1, name));
  expect(copies.map((path) => fs.statSync(path).nlink)).toEqual(copies.map(() => 1));
  expect(fs.existsSync(project.turnFile(b, 1, '../../summary.json'))).toBe(true);
  await say(a, 'on in a');
  await say(id, 'on in the parent');
  expect(await $(`rm ${id}`)).toBe(`${id}\n`);
  await say(b, 'on in b');
  expect(told()).toMatch(/one.*\n[\s\S]*two[\s\S]*on in b/);
  expect(told()).not.toContain('three');
  await say(b, 'more in b');
  expect(said(await show(a))).toEqual(['one', 'on in a']);
  const ended = await show(b);
  expect(said(ended)).toEqual(['one', 'two', 'on in b', 'more in b']);
  expect(ended.turns.map(({ how }) => how)).toEqual(['fresh', 'native', 'replay', 'native']);
  expect(ended.token_usage?.total_tokens).toBeGreaterThan(0);
});

test('a fork is told its first message at once, and one that is refused leaves nothing behind', async () => {
  const { project, id, show } = await talk('one', 'two');
  const forked = JSON.parse(await project.ok(['fork', id, '--turn', '1', '--wait', '--json', 'and now']));
  expect(forked).toMatchObject({ status: 'completed', turn: 2, forked_from: { id, turn: 1 } });
  expect(said(await show(forked.id))).toEqual(['one', 'and now']);
  expect((await show(id)).turn).toBe(2);
  // More than any agent is told: only a replay reads it.
  fs.truncateSync(project.turnFile(id, 1, 'prompt.md'), 65 << 20);
  const before = fs.readdirSync(join(project.store(), 'sessions'));
  expect(await project.$(`fork ${id} --turn 1 three`)).toContain('[exit 4]');
  expect(fs.readdirSync(join(project.store(), 'sessions'))).toEqual(before);
});

test('what was rewound is neither shown nor told, until that is undone', async () => {
  const { id, $, say, show, launch, told } = await talk('one', 'two', 'three');
  expect(await $(`rewind ${id} --to 1 -q`)).toBe(`${id}\n`);
  expect(await show(id)).toMatchObject({ status: 'completed', turn: 1, last_prompt: 'one' });
  expect(said(await show(id))).toEqual(['one']);
  const { messages } = await show(id, ['--full']);
  expect(new Set(messages.map(({ turn }) => turn))).toEqual(new Set([1]));
  await say(id, 'another two');
  expect(told()).toMatch(/one[\s\S]*another two/);
  expect(told()).not.toMatch(/three|\ntwo/);
  expect(launch(id, 5)).toMatchObject({ how: 'replay', why: 'the conversation was rewound' });
  expect(said(await show(id))).toEqual(['one', 'another two']);
  const page = await $(`show ${id}`);
  expect(page).toContain('(turns 2–3 rewound; see: zwarm show');
  expect(page).not.toContain('> three');
  expect(await $(`show ${id} --full`)).toContain('> three');

  await $(`rewind ${id} --to 3`);
  await say(id, 'four');
  expect(told()).toBe('four');
  expect(launch(id, 7)).toMatchObject({ how: 'native', thread_id: launch(id, 2).thread_id });
  expect(said(await show(id))).toEqual(['one', 'two', 'three', 'four']);
  await $(`rewind ${id} --to 0`);
  expect(said(await show(id))).toEqual([]);
  await say(id, 'from the start');
  expect(launch(id, 9)).toMatchObject({ how: 'fresh', thread_id: null });
});

test('after a compaction the agent is told the summary and not what was before, until that is undone', async () => {
  const { project, id, $, say, show, launch, told } = await talk('one', 'two');
  const compacted = JSON.parse(await project.ok(['compact', id, '--wait', '--json']));
  expect(compacted).toMatchObject({ status: 'completed', turn: 3 });
  expect((await show(id)).turns[2]).toMatchObject({ kind: 'compact', covers: [1, 2], how: 'native' });
  // What zwarm itself asked for is no message.
  expect(await project.list()).toMatchObject([{ last_prompt: 'two' }]);
  expect(await $(`show ${id}`)).toContain('summary of 1–2');
  await say(id, 'on from there');
  expect(launch(id, 4)).toMatchObject({ how: 'replay', why: 'the conversation goes on from a summary' });
  expect(told()).toContain('<zwarm-record-1 a summary of all that was before>\n');
  expect(told()).not.toContain('<zwarm-record-1 the user>');
  await $(`rewind ${id} --to 2`);
  await say(id, 'as if never');
  expect(told()).toMatch(/the user>\none[\s\S]*the user>\ntwo/);
  expect(told()).not.toContain('summary');
  // It is left out where nobody knows how full the context is, and where there is nothing to compact.
  const kept = await project.zwarm(['compact', id, '--if-over', '0.8'], { tty: true });
  expect(kept).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(kept.stderr).toMatch(/not compacted: it is not known how full the context is/);
  await $(`rewind ${id} --to 0`);
  expect(await $(`compact ${id}`)).toContain('[exit 4]');
});

test('an agent that has lost its thread gets a transcript, bounded by --history-chars, and a hint says so', async () => {
  const { project, id, say, show, launch, told } = await talk('one', `two ${'x'.repeat(5000)}`);
  fs.mkdirSync(join(project.base, 'home/.codex/sessions'), { recursive: true });
  const lost = 'codex no longer has its thread';
  const inject = ['inject', id, '--history-chars', '1000', '--wait', 'three'];
  const { stderr } = await project.zwarm(inject, { tty: true });
  expect(stderr).toContain(`continues in a new thread with a transcript, as\n${lost}`);
  expect(launch(id, 3).how).toBe('replay');
  expect((await show(id)).turns[2]?.replay_reason).toContain('no longer has its thread');
  expect(told().length).toBeLessThan(2500);
  expect(told()).toMatch(/characters are left out here/);
  fs.rmSync(join(project.base, 'home/.codex'), { recursive: true });
  await say(id, 'four');
  expect(launch(id, 4).how).toBe('native');
});

test('a thread that turns out to be gone fails its turn, and the next one is told what was before', async () => {
  const project = createProject();
  const id = await project.ended(['first']);
  const gone = {
    FAKE_AGENT_STREAM: undefined,
    FAKE_AGENT_STDERR:
      'Error: thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)\n',
    FAKE_AGENT_EXIT: '1',
  };
  expect(await project.$(`inject ${id} --wait second`, { env: gone })).toContain('[exit 1]');
  const failed = await project.show(id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'thread_gone' } });
  expect(failed.error?.hint).toContain(`zwarm inject ${id}`);
  await project.ok(['inject', id, '--wait', 'third']);
  expect((await project.show(id)).turns.map(({ how }) => how)).toEqual(['fresh', 'native', 'replay']);
  expect(project.runs()[2]?.stdin).toMatch(/first[\s\S]*\n\nthird$/);
});

test('--interrupt claims its turn first, ends the running one, and goes on', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  expect(await project.$(`inject ${id} --interrupt --wait then`)).toBe('done\n');
  expect((await project.show(id)).turns.map(({ status }) => status)).toEqual(['killed', 'completed']);
  const read = (turn: number, name: string) =>
    JSON.parse(fs.readFileSync(project.turnFile(id, turn, name), 'utf8'));
  expect(read(1, 'cancel.json').why).toBe('interrupt');
  expect(Date.parse(read(2, 'request.json').at)).toBeLessThanOrEqual(Date.parse(read(1, 'cancel.json').at));
  expect(project.runs()).toHaveLength(2);
  expect(await project.$(`inject ${id} --interrupt --wait again`)).toBe('done\n');
});

/** A session whose agent resists, and a process that interrupts it. */
async function interrupted() {
  const project = createShellProject();
  const id = await project.begin('stubborn');
  const place = { cwd: project.directory, env: project.env, stdio: 'ignore' } as const;
  const child = spawn(process.execPath, [ZWARM, 'inject', id, '--interrupt', 'quick lost'], place);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await eventually('it is stopped', () => fs.existsSync(project.turnFile(id, 1, 'cancel.json')));
  return { project, id, child, ended };
}

test('a message survives the one who interrupts, and kill calls off what is about to begin', async () => {
  const { project, id, child, ended } = await interrupted();
  // However long this takes, it has not ended the agent yet.
  child.kill('SIGSTOP');
  expect(await project.show(id)).toMatchObject({ status: 'running', turn: 1 });
  expect(await project.$(`inject ${id} --interrupt quick`)).toContain('[exit 4]');
  child.kill('SIGKILL');
  await ended;
  expect(fs.readFileSync(project.turnFile(id, 2, 'prompt.md'), 'utf8')).toBe('quick lost');
  // Soon after the claim, by this clock: later what its claimer has left counts as lost.
  const now = Date.parse(JSON.parse(fs.readFileSync(project.turnFile(id, 2, 'request.json'), 'utf8')).at);
  expect(await project.$(`kill ${id} --grace 0s`, { now })).toBe(`${id} killed\n`);
  expect((await project.show(id)).turns.map(({ status }) => status)).toEqual(['killed', 'killed']);
  expect(project.runs()).toHaveLength(1);
});

test('kill during an interruption keeps the next turn from beginning', async () => {
  const { project, id, ended } = await interrupted();
  expect(await project.$(`kill ${id} --grace 0s`)).toBe(`${id} killed\n`);
  await ended;
  await eventually('nothing is left', () => project.marked(id).length === 0);
  expect(project.runs()).toHaveLength(1);
  expect(await project.show(id)).toMatchObject({ status: 'killed', turn: 2 });
});

test('a session whose agent never named its conversation goes on with all messages, and so does a fork', async () => {
  const project = createProject();
  const env = { FAKE_AGENT_STREAM: undefined, FAKE_AGENT_HANG: '1' };
  const id = await project.start(['use the new parser'], { env });
  await eventually('the agent runs', () => project.runs().length === 1);
  await project.ok(['inject', id, '--interrupt', '--wait', 'and keep the old one']);
  const fork = JSON.parse(await project.ok(['fork', id, '--turn', '1', '--wait', '--json', 'in the fork']));
  const replay_reason = 'codex ended before it had named its conversation';
  for (const one of [id, fork.id])
    expect((await project.show(one)).turns).toMatchObject([
      { status: 'killed' },
      { how: 'replay', replay_reason },
    ]);
  expect(await project.$(`show ${id}`)).toContain(replay_reason);
  for (const { argv, stdin } of project.runs().slice(1)) {
    expect(argv).not.toContain('resume');
    expect(stdin).toMatch(/the user>\nuse the new parser\n[\s\S]*\n\n(and keep the old one|in the fork)$/);
  }
});

test('a message whose turn never ran is told where the conversation is replayed', async () => {
  const project = createShellProject();
  const place = join(project.directory, 'place');
  fs.mkdirSync(place);
  const id = await project.ended(['-C', place, 'one']);
  fs.rmdirSync(place);
  fs.symlinkSync(project.base, place);
  expect(await project.$(`inject ${id} elsewhere`)).toContain(
    `now leads to ${project.base}: nothing was run`,
  );
  fs.unlinkSync(place);
  fs.mkdirSync(place);
  // Its directory goes between the check and the launch.
  await project.ok([
    'inject',
    id,
    `run trap 'rmdir ${place}; kill $!; exit' INT; sleep 100 & echo > ../ready; wait`,
  ]);
  await project.written('ready');
  expect(await project.$(`inject ${id} --interrupt --wait two`)).toContain('[exit 1]');
  expect((await project.show(id)).turns[2]).toMatchObject({
    status: 'failed',
    how: 'native',
    error: { code: 'no_working_dir' },
  });
  fs.mkdirSync(place);
  fs.mkdirSync(join(project.base, 'home/.codex/sessions'), { recursive: true });
  await project.ok(['inject', id, '--wait', 'three']);
  expect(project.runs().at(-1)?.stdin).toMatch(/the user>\none[\s\S]*the user>\ntwo\n[\s\S]*\n\nthree/);
});
