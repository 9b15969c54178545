import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionDetail } from '../../src/core/session.ts';
import { onScreen, type Screen } from '../helpers/context.ts';
import { createProject, eventually, type Project, ZWARM } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

/** A conversation with the demo agent, which remembers each of its threads in a file. */
interface Talk {
  readonly project: Project;
  readonly id: string;
  run(...argv: string[]): Promise<Screen>;
  /** Says something in a session; the answer. */
  say(id: string, words: string): Promise<string>;
  show(id: string): Promise<SessionDetail>;
  launch(id: string, turn: number): { how: string; why: string | null; thread_id: string | null };
  input(id: string, turn: number): string;
}

const AT_ONCE = '[[seconds=0]]';

async function talk(...words: string[]): Promise<Talk> {
  const project = createProject();
  const run = (...argv: string[]) => onScreen(project, argv);
  const ok = async (...argv: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...argv);
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  const [first = 'one', ...others] = words;
  const id = JSON.parse(await ok('start', '-a', 'demo', '--wait', '--json', `${first} ${AT_ONCE}`)).id;
  const say = (to: string, text: string) => ok('inject', to, '--wait', `${text} ${AT_ONCE}`);
  for (const text of others) await say(id, text);
  return {
    project,
    id,
    run,
    say,
    show: (of) => project.show(of),
    launch: (of, turn) => JSON.parse(readFileSync(project.turnFile(of, turn, 'launch.json'), 'utf8')),
    input: (of, turn) => readFileSync(project.turnFile(of, turn, 'input.md'), 'utf8'),
  };
}

const said = ({ messages }: SessionDetail): string[] =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => content.replace(` ${AT_ONCE}`, ''));

test('forks begin as their parent was, go on by themselves, and survive it', async () => {
  const { project, id, run, say, show, input } = await talk('one', 'two', 'three');
  const forked = await Promise.all([1, 2, 3].map(async (turn) => run('fork', id, '--turn', String(turn))));
  const [a = '', b = '', c = ''] = forked.map(({ stdout }) => stdout.trim());
  expect(new Set([id, a, b, c]).size).toBe(4);
  expect(said(await show(b))).toEqual(['one', 'two']);
  const fork = await show(b);
  expect(fork).toMatchObject({
    status: 'completed',
    turn: 2,
    forked_from: { id, turn: 2 },
    name: null,
    task: (await show(id)).task,
    // What its parent spent is not its own.
    token_usage: null,
    duration_ms: null,
  });
  // Copies, not links.
  for (const name of readdirSync(project.turnFile(b, 1, '.'))) {
    expect(statSync(project.turnFile(b, 1, name)).nlink, name).toBe(1);
  }
  await say(a, 'on in a');
  await say(id, 'on in the parent');
  expect(await run('rm', id)).toMatchObject({ code: 0 });
  await say(b, 'on in b');
  await say(b, 'more in b');
  expect(said(await show(a))).toEqual(['one', 'on in a']);
  expect(said(await show(b))).toEqual(['one', 'two', 'on in b', 'more in b']);
  expect((await show(b)).turns.map(({ how }) => how)).toEqual(['fresh', 'native', 'replay', 'native']);
  expect(input(b, 3)).toMatch(/one.*\n[\s\S]*two[\s\S]*on in b/);
  expect(input(b, 3)).not.toContain('three');
  const { token_usage: own, turns } = await show(b);
  expect(own?.total_tokens).toBe(
    turns.slice(2).reduce((sum, turn) => sum + (turn.token_usage?.total_tokens ?? 0), 0),
  );
  expect(await run('clean', '--days', '1')).toMatchObject({ code: 0, stdout: '' });
});

test('a fork is told its first message at once', async () => {
  const { id, run, show } = await talk('one');
  const { code, stdout } = await run('fork', id, '--wait', '--json', `and now ${AT_ONCE}`);
  expect(code).toBe(0);
  const forked = JSON.parse(stdout);
  expect(forked).toMatchObject({ status: 'completed', turn: 2, forked_from: { id, turn: 1 } });
  expect(said(await show(forked.id))).toEqual(['one', 'and now']);
  expect((await show(id)).turn).toBe(1);
});

test('what was wound back is neither shown nor told, until that is undone', async () => {
  const { id, run, say, show, launch, input } = await talk('one', 'two', 'three');
  expect(await run('rewind', id, '--to', '1')).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(said(await show(id))).toEqual(['one']);
  expect(await show(id)).toMatchObject({ status: 'completed', turn: 3 });
  await say(id, 'another two');
  expect(input(id, 5)).toMatch(/one[\s\S]*another two/);
  expect(input(id, 5)).not.toMatch(/ three|\ntwo/);
  expect(launch(id, 5)).toMatchObject({ how: 'replay', why: 'the conversation was wound back' });
  expect(said(await show(id))).toEqual(['one', 'another two']);
  const page = (await run('show', id)).stdout;
  expect(page).toContain('(turns 2–3 wound back; see: zwarm show');
  expect(page).not.toContain('> three');
  expect((await run('show', id, '--full')).stdout).toContain('> three');

  expect(await run('rewind', id, '--to', '3')).toMatchObject({ code: 0 });
  expect(await say(id, 'four')).toContain('Before that you asked: one');
  expect(launch(id, 7)).toMatchObject({ how: 'native', thread_id: (await show(id)).thread_id });
  expect(said(await show(id))).toEqual(['one', 'two', 'three', 'four']);
  expect(await run('rewind', id, '--to', '0')).toMatchObject({ code: 0 });
  expect(said(await show(id))).toEqual([]);
  await say(id, 'from the start');
  expect(launch(id, 9)).toMatchObject({ how: 'fresh', thread_id: null });
});

test('after a compaction the agent is told the summary and not what was before, until that is undone', async () => {
  const { id, run, say, show, launch, input } = await talk('one', 'two');
  const compacted = await run('compact', id, '--wait', '--json');
  expect(JSON.parse(compacted.stdout)).toMatchObject({ status: 'completed', turn: 3 });
  const view = (await show(id)).turns[2];
  expect(view).toMatchObject({ kind: 'compact', covers: [1, 2], how: 'native' });
  expect((await run('show', id)).stdout).toContain('summary of 1–2');
  await say(id, 'on from there');
  expect(launch(id, 4)).toMatchObject({ how: 'replay', why: 'the conversation goes on from a summary' });
  expect(input(id, 4)).toContain('<zwarm-record-1 a summary of all that was before>\n');
  expect(input(id, 4)).not.toContain('<zwarm-record-1 the user>');
  expect(await run('rewind', id, '--to', '2')).toMatchObject({ code: 0 });
  await say(id, 'as if never');
  expect(input(id, 6)).toMatch(/the user>\none[\s\S]*the user>\ntwo/);
  expect(input(id, 6)).not.toContain('summary');
});

test('a compaction is left out where nobody knows how full the context is, and where there is nothing to compact', async () => {
  const { project, id, run } = await talk('one');
  const kept = await onScreen(project, ['compact', id, '--if-over', '0.8'], { tty: true });
  expect(kept).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(kept.stderr).toMatch(/not compacted: it is not known how full the context is/);
  await run('rewind', id, '--to', '0');
  expect(await run('compact', id)).toMatchObject({ code: 4, stdout: '' });
});

test('an agent that has lost its thread gets a transcript, and a hint says so', async () => {
  const { project, id, say, show, launch } = await talk('one', 'two');
  const threads = join(project.base, 'home/.local/state/zwarm/demo');
  rmSync(join(threads, (await show(id)).thread_id ?? ''), { recursive: true });
  const { stderr } = await onScreen(project, ['inject', id, `three ${AT_ONCE}`], { tty: true });
  expect(stderr).toContain('continues in a new thread with a transcript, as demo no longer has its thread');
  expect((await onScreen(project, ['wait', id])).code).toBe(0);
  expect(launch(id, 3).how).toBe('replay');
  expect((await show(id)).turns[2]?.replay_reason).toContain('no longer has its thread');
  await say(id, 'four');
  expect(launch(id, 4).how).toBe('native');
});

test('--history-chars bounds what is told', async () => {
  const { project, id, run, input } = await talk('one', `two ${'x'.repeat(5000)}`);
  await run('rewind', id, '--to', '1');
  await run('rewind', id, '--to', '2');
  rmSync(join(project.base, 'home/.local/state/zwarm/demo'), { recursive: true });
  mkdirSync(join(project.base, 'home/.local/state/zwarm/demo'));
  expect(await run('inject', id, '--wait', '--history-chars', '1000', AT_ONCE)).toMatchObject({ code: 0 });
  expect(input(id, 5).length).toBeLessThan(2500);
  expect(input(id, 5)).toMatch(/characters are left out here/);
});

test('a thread that turns out to be gone fails its turn, and the next one is told what was before', async () => {
  const project = createProject();
  const id = await project.start(['--wait', 'first', '--json']).then((json) => JSON.parse(json).id);
  const gone = {
    FAKE_AGENT_STREAM: undefined,
    FAKE_AGENT_STDERR:
      'Error: thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)\n',
    FAKE_AGENT_EXIT: '1',
  };
  expect((await onScreen(project, ['inject', id, '--wait', 'second'], { env: gone })).code).toBe(1);
  const failed = await project.show(id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'thread_gone' } });
  expect(failed.error?.hint).toContain(`zwarm inject ${id}`);
  expect((await onScreen(project, ['inject', id, '--wait', 'third'])).code).toBe(0);
  expect((await project.show(id)).turns.map(({ how }) => how)).toEqual(['fresh', 'native', 'replay']);
  expect(project.runs()[2]?.stdin).toMatch(/first[\s\S]*\n\nthird$/);
});

test('--interrupt claims its turn first, ends the running one, and goes on', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const { code, stdout } = await project.run(['inject', id, '--interrupt', '--wait', 'quick then']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' });
  const { turns } = await project.show(id);
  expect(turns.map(({ status }) => status)).toEqual(['killed', 'completed']);
  const read = (turn: number, name: string) =>
    JSON.parse(readFileSync(project.turnFile(id, turn, name), 'utf8'));
  expect(read(1, 'cancel.json').why).toBe('interrupt');
  expect(Date.parse(read(2, 'request.json').at)).toBeLessThanOrEqual(Date.parse(read(1, 'cancel.json').at));
  expect(project.runs()).toHaveLength(2);
  // At rest it is an inject like any other.
  expect(await project.run(['inject', id, '--interrupt', '--wait', 'quick again'])).toMatchObject({
    code: 0,
  });
});

/** Starts a command as a process of its own. */
function command(project: Project, ...argv: string[]): ReturnType<typeof spawn> {
  const child = spawn(process.execPath, [ZWARM, ...argv], {
    cwd: project.directory,
    env: project.env,
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a message survives the one who interrupts, and kill calls off what is about to begin', async () => {
  const project = createShellProject();
  const id = await project.begin('stubborn');
  const first = command(project, 'inject', id, '--interrupt', 'quick lost');
  await eventually('it is stopped', () => existsSync(project.turnFile(id, 1, 'cancel.json')));
  expect(await project.show(id)).toMatchObject({ status: 'running', turn: 1 });
  expect(await project.run(['inject', id, '--interrupt', 'quick'])).toMatchObject({ code: 4 });
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(readFileSync(project.turnFile(id, 2, 'prompt.md'), 'utf8')).toBe('quick lost');

  expect(await project.run(['kill', id, '--grace', '0s'])).toMatchObject({ code: 0 });
  const { turns } = await project.show(id);
  expect(turns.map(({ status }) => status)).toEqual(['killed', 'killed']);
  expect(project.runs()).toHaveLength(1);
});

test('kill during an interruption keeps the next turn from beginning', async () => {
  const project = createShellProject();
  const id = await project.begin('stubborn');
  const interrupted = once(command(project, 'inject', id, '--interrupt', 'quick never'), 'exit');
  await eventually('it is stopped', () => existsSync(project.turnFile(id, 1, 'cancel.json')));
  expect(await project.run(['kill', id, '--grace', '0s'])).toMatchObject({ code: 0 });
  await interrupted;
  await eventually('nothing is left', () => project.marked(id).length === 0);
  expect(project.runs()).toHaveLength(1);
  expect(await project.show(id)).toMatchObject({ status: 'killed', turn: 2 });
});

/** A project in whose session `slow` an agent hangs that has not named its conversation. */
async function unnamed(): Promise<{ project: Project; id: string }> {
  const project = createProject();
  const env = { FAKE_AGENT_STREAM: undefined, FAKE_AGENT_HANG: '1' };
  const { stdout } = await onScreen(project, ['start', 'use the new parser'], { env });
  await eventually('the agent runs', () => project.runs().length === 1);
  return { project, id: stdout.trim() };
}

const NEVER_NAMED = { how: 'replay', replay_reason: 'codex ended before it had named its conversation' };

test('an agent that is interrupted before it has begun is told both messages', async () => {
  const { project, id } = await unnamed();
  const ended = await onScreen(project, ['inject', id, '--interrupt', '--wait', 'and keep the old one']);
  expect(ended).toMatchObject({ code: 0 });
  expect(project.runs()[1]?.argv).not.toContain('resume');
  expect(project.runs()[1]?.stdin).toMatch(/the user>\nuse the new parser\n[\s\S]*\n\nand keep the old one$/);
  expect((await project.show(id)).turns).toMatchObject([{ status: 'killed' }, NEVER_NAMED]);
  expect((await onScreen(project, ['show', id])).stdout).toContain(NEVER_NAMED.replay_reason);
});

test('a session whose agent never named its conversation goes on, and so does a fork of it', async () => {
  const { project, id } = await unnamed();
  expect(await onScreen(project, ['kill', id])).toMatchObject({ code: 0 });
  const fork = await onScreen(project, ['fork', id, '--wait', '--json', 'in the fork']);
  expect(fork).toMatchObject({ code: 0 });
  expect((await project.show(JSON.parse(fork.stdout).id)).turns).toMatchObject([
    { status: 'killed' },
    NEVER_NAMED,
  ]);
  expect(await onScreen(project, ['inject', id, '--wait', 'in the parent'])).toMatchObject({ code: 0 });
  const told = project.runs().slice(1);
  expect(told.map(({ stdin }) => stdin.match(/\n\n(.*)$/)?.[1])).toEqual(['in the fork', 'in the parent']);
  for (const { stdin } of told) expect(stdin).toContain('the user>\nuse the new parser\n');
});

test('a message whose turn never ran is told where the conversation is replayed', async () => {
  const project = createProject();
  const place = join(project.directory, 'place');
  mkdirSync(place);
  const run = (...argv: string[]) => onScreen(project, argv);
  const { stdout } = await run('start', '-a', 'demo', '-C', place, '--wait', '--json', `one ${AT_ONCE}`);
  const { id, thread_id } = JSON.parse(stdout);
  rmdirSync(place);
  expect(await run('inject', id, '--wait', 'two')).toMatchObject({ code: 1 });
  expect((await project.show(id)).turns[1]).toMatchObject({ status: 'failed', how: 'native' });
  mkdirSync(place);
  rmSync(join(project.base, 'home/.local/state/zwarm/demo', thread_id), { recursive: true });
  expect(await run('inject', id, '--wait', `three ${AT_ONCE}`)).toMatchObject({ code: 0 });
  expect(readFileSync(project.turnFile(id, 3, 'input.md'), 'utf8')).toMatch(
    /the user>\none[\s\S]*the user>\ntwo\n[\s\S]*\n\nthree/,
  );
});

test('a fork that is refused leaves no session behind', async () => {
  const { id, project, run } = await talk('one', 'two');
  // More than any agent is told: only a replay reads it.
  truncateSync(project.turnFile(id, 1, 'prompt.md'), 65 << 20);
  const before = readdirSync(join(project.store(), 'sessions'));
  expect(await run('fork', id, '--turn', '1', 'three')).toMatchObject({ code: 4, stdout: '' });
  expect(readdirSync(join(project.store(), 'sessions'))).toEqual(before);
});

test('with --full, too, nothing is told of what was wound back', async () => {
  const { id, project, run } = await talk('one', 'two');
  await run('rewind', id, '--to', '1');
  const { messages } = await project.show(id, ['--full']);
  expect(new Set(messages.map(({ turn }) => turn))).toEqual(new Set([1]));
});

test('a rewind is done although its session cannot be cached, and a fork is cached at once', async () => {
  const { id, project, run } = await talk('one', 'two');
  const directory = join(project.store(), 'sessions', id);
  await project.settled(id, 2);
  rmSync(join(directory, 'summary.json'));
  mkdirSync(join(directory, 'summary.json'));
  expect(await run('rewind', id, '--to', '1')).toMatchObject({ code: 0 });
  const fork = (await run('fork', id)).stdout.trim();
  expect(existsSync(join(directory, '..', fork, 'summary.json'))).toBe(true);
});
