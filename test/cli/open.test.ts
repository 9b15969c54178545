import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CliContext } from '../../src/cli/context.ts';
import { createProject, eventually, withoutConfiner } from '../helpers/project.ts';
import { CODEX_THREAD, createGoingOn, FIRST, SECOND, THIRD } from '../helpers/user.ts';

test('open is for a person at a terminal, and for a session at rest whose thread the agent has', async () => {
  const project = createProject();
  const { zwarm, $, env } = project;
  withoutConfiner(project);
  const id = await project.ended();
  expect(await zwarm(['open', id])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`from a script: zwarm inject ${id} "…"`),
  });
  const open = (ref: string) => zwarm(['open', ref], { tty: true });
  expect(await open(id)).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/cannot be opened: codex has no session file of the thread/),
  });
  await $(`rewind ${id} --to 0`);
  expect(await open(id)).toMatchObject({ code: 4, stderr: expect.stringContaining('cannot be opened') });
  const demo = await project.ended(['-a', 'demo', 'x [[seconds=0]]']);
  expect(await open(demo)).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/what is said in demo itself could not be read afterwards/),
  });
  Object.assign(env, { ZWARM_SESSION_ID: 'abcdefghjk' });
  expect(await open(id)).toMatchObject({ code: 5 });
});

/** A session that can be opened; `inside` is what happens there. */
async function createOpenable() {
  const user = await createGoingOn();
  const open = (inside: CliContext['handOver']) =>
    user.zwarm(['open', user.id], { tty: true, handOver: inside });
  return { ...user, open };
}

test('while a session is open it is busy, and what was said there becomes its turns', async () => {
  const { id, open, turns, say, said, zwarm, ok, list, show } = await createOpenable();
  const refused: string[] = [];
  const { code, stderr } = await open(async () => {
    for (const args of [
      ['inject', id, 'go on'],
      ['inject', id, '--queue', 'go on'],
      ['inject', id, '--interrupt', 'go on'],
      ['rewind', id, '--to', '0'],
      ['compact', id],
      ['kill', id],
      ['rm', id],
      ['pack', id],
    ]) {
      const { code, stderr } = await zwarm(args);
      refused.push(
        `${args.join(' ').replace(id, '<id>')}: ${code} ${stderr.split('\n')[0]?.replace(id, '<id>')}`,
      );
    }
    expect((await zwarm(['open', id], { tty: true })).stderr).toContain(`${id} is open in codex`);
    expect(await list()).toMatchObject([{ status: 'running', turn: 2, current_step: 'open in codex' }]);
    expect((await show(id)).turns.at(-1)).toMatchObject({ kind: 'open', status: 'running', agent: 'codex' });
    expect((await zwarm(['show', id])).stdout).toContain('open in codex');
    // What was before can be forked.
    await ok(['fork', id, '--turn', '1']);
    for (const text of said) say(text);
    return 0;
  });
  expect(refused).toMatchInlineSnapshot(`
    [
      "inject <id> go on: 4 zwarm: <id> is open in codex",
      "inject <id> --queue go on: 4 zwarm: <id> is open in codex",
      "inject <id> --interrupt go on: 4 zwarm: <id> is open in codex",
      "rewind <id> --to 0: 4 zwarm: <id> is open in codex",
      "compact <id>: 4 zwarm: <id> is open in codex",
      "kill <id>: 4 zwarm: <id> is open in codex",
      "rm <id>: 4 zwarm: <id> is open in codex",
      "pack <id>: 4 zwarm: <id> is open in codex",
    ]
  `);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('2 turns added') });
  expect(await turns()).toEqual([FIRST, 'open  completed ', SECOND, THIRD]);
  expect(await zwarm(['show', id, '--full'], { tty: true })).toMatchObject({
    stdout: expect.stringContaining('opened in codex'),
    stderr: expect.stringContaining(`to go on in codex itself: zwarm open ${id}`),
  });
  expect(await show(id)).toMatchObject({ status: 'completed', turn: 4, last_message: 'Third turn done.' });
  expect(await ok(['inject', id, '--wait', 'go on'])).toBe('done');
  expect((await show(id)).turns.at(-1)).toMatchObject({ kind: 'prompt', how: 'native' });
});

test('what waits for a session begins when it is left', async () => {
  const { id, open, ok, show } = await createOpenable();
  let next = '';
  await open(async () => {
    next = await ok(['start', '--after', id, '-q', 'then this']);
    expect((await show(next)).pending).toMatchObject({ reason: 'after' });
    return 0;
  });
  await eventually('it has ended', async () => (await show(next)).status === 'completed');
});

test('where nothing was said there, or the program cannot be run, the session is as it was', async () => {
  const { id, open, turns, ok } = await createOpenable();
  expect(await open(async () => 3)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/codex ended with exit code 3\n.*nothing was said in codex/),
  });
  expect(await open(() => Promise.reject(new Error('no such program')))).toMatchObject({ code: 1 });
  expect(await turns()).toEqual([FIRST, 'open  completed ', 'open  completed ']);
  expect(await ok(['inject', id, '--wait', 'go on'])).toBe('done');
});

/** Opens a session by a command that is killed before the program has ended; the environment of that. */
async function openAndKill(
  { id, open, store }: Awaited<ReturnType<typeof createOpenable>>,
  turn = 2,
  other: object = { start: '1' },
) {
  const env = await new Promise<Parameters<CliContext['handOver']>[2]['env']>((opened) => {
    void open((_program, _args, place) => {
      opened(place.env);
      return new Promise(() => undefined);
    });
  });
  const file = join(store(), 'sessions', id, 'turns', `${turn}`, 'request.json');
  const request = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...request, claimer: { ...request.claimer, ...other } }));
  return env;
}

test('what was said there is taken in by the next command that goes on, where the first one was killed', async () => {
  const user = await createOpenable();
  const { id, turns, say, said, ok, zwarm, list } = user;
  await openAndKill(user, 2);
  say(said[0]);
  expect(await list()).toMatchObject([{ status: 'completed', last_message: 'My name is Fake. What next?' }]);
  expect(await ok(['inject', id, '--wait', 'go on'])).toBe('done');
  expect(await turns()).toEqual([FIRST, 'open  completed ', SECOND, 'prompt native completed done']);

  await openAndKill(user, 5);
  say(said[1]);
  const fork = await ok(['fork', id]);
  expect((await turns()).slice(4)).toEqual(['open  completed ', THIRD]);
  expect((await zwarm(['show', fork])).stdout).toContain('Third turn done.');
  // Once.
  await ok(['inject', id, '--wait', 'go on']);
  expect(await turns()).toHaveLength(7);
});

test('what a command that was killed meanwhile has taken in is not taken in twice', async () => {
  const user = await createOpenable();
  const { id, turns, say, said, ok, store } = user;
  await openAndKill(user, 2);
  for (const text of said) say(text);
  await ok(['inject', id, '--wait', 'go on']);
  // As it is where that happened between the two turns.
  const at = (turn: number) => join(store(), 'sessions', id, 'turns', `${turn}`);
  for (const turn of [4, 5]) rmSync(at(turn), { recursive: true });
  rmSync(join(at(2), 'exit.json'));
  await ok(['inject', id, '--wait', 'go on']);
  expect(await turns()).toEqual([FIRST, 'open  completed ', SECOND, THIRD, 'prompt native completed done']);
});

test('a turn that was cut off there was killed, and is told as nothing else', async () => {
  const { id, open, say, said, zwarm, show } = await createOpenable();
  await open(async () => {
    say(said[0]?.split('\n').slice(0, 4).join('\n'));
    return 0;
  });
  expect(await show(id)).toMatchObject({ status: 'killed', error: null });
  // Without zwarm nobody can tell whether it goes on.
  say(said[1]?.split('\n').slice(0, 4).join('\n'));
  await zwarm(['import', CODEX_THREAD]);
  const { status, error } = await show(id);
  expect({ status, error }).toMatchObject({
    status: 'lost',
    error: { message: 'how it ended was not recorded: it was cut off, or its agent still works on it' },
  });
});

test('a session is open as long as the program lives, also without the command; kill ends that', async () => {
  const user = await createOpenable();
  const { id, turns, say, said, ok, zwarm, show } = user;
  const env = await openAndKill(user);
  const program = spawn('sleep', ['600'], { env: { ...env }, stdio: 'ignore' });
  await once(program, 'spawn');
  expect(await zwarm(['inject', id, 'go on'])).toMatchObject({ code: 4 });
  expect(await show(id)).toMatchObject({ status: 'running' });
  say(said[0]);
  const end = once(program, 'exit');
  expect(await zwarm(['kill', id])).toMatchObject({ code: 0 });
  expect(await end).toEqual([null, 'SIGTERM']);
  expect((await zwarm(['show', id])).stdout).toContain('what was said there comes in with the next message');
  await ok(['inject', id, '--wait', 'go on']);
  expect((await turns()).slice(1)).toEqual(['open  completed ', SECOND, 'prompt native completed done']);
});

test('what was said there is taken in by those alone whose session it is, and is the user’s', async () => {
  const user = await createOpenable();
  const { id, turns, say, said, ok, zwarm, show } = user;
  await openAndKill(user);
  say(said[0]);
  const agent = await ok(['start', '-q', 'gate go']);
  for (const args of [
    ['inject', id, 'go on'],
    ['compact', id],
    ['rewind', id, '--to', '0'],
  ])
    expect(await zwarm(args, { env: { ZWARM_SESSION_ID: agent } })).toMatchObject({ code: 5 });
  expect(await turns()).toHaveLength(2);
  await ok(['fork', id]);
  expect((await show(id)).turns.map(({ kind, by }) => `${kind} ${by}`)).toEqual([
    'imported user',
    'open user',
    'external user',
  ]);
});

test('where the file of the agent cannot be read any more, the session goes on, and tells so', async () => {
  const user = await createOpenable();
  const { id, turns, say, said, ok, zwarm, codex, base } = user;
  const moved = join(base, 'moved.jsonl');
  renameSync(codex, moved);
  symlinkSync(moved, codex);
  // A link is followed when it is opened.
  await openAndKill(user);
  say(said[0]);
  await ok(['fork', id]);
  expect(await turns()).toEqual([FIRST, 'open  completed ', SECOND]);
  await openAndKill(user, 4);
  rmSync(moved);
  symlinkSync('/etc/passwd', moved);
  await ok(['inject', id, '--wait', 'go on']);
  expect((await turns()).slice(3)).toEqual(['open  completed ', 'prompt native completed done']);
  expect((await zwarm(['show', id])).stdout).toContain(
    `nobody knows what was said in codex: its file is gone: ${moved}`,
  );
});

test('of a session that was opened elsewhere the user has to know that it is open no longer', async () => {
  const user = await createOpenable();
  const { id, turns, say, said, ok, zwarm } = user;
  const elsewhere = { host: 'elsewhere', boot_id: 'elsewhere' };
  await openAndKill(user, 2, elsewhere);
  say(said[0]);
  expect(await zwarm(['inject', id, 'go on'])).toMatchObject({ code: 4 });
  expect(await zwarm(['pack', id])).toMatchObject({ code: 4 });
  expect((await zwarm(['show', id])).stdout).toContain('open in codex · unknown');
  await ok(['inject', id, '--force', '--wait', 'go on']);
  expect((await turns()).slice(1)).toEqual(['open  completed ', SECOND, 'prompt native completed done']);
  await openAndKill(user, 5, elsewhere);
  say(said[1]);
  await ok(['kill', '--force', id]);
  expect((await turns()).slice(4)).toEqual(['open  completed ', THIRD]);
});
