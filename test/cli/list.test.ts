import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copySession } from '../../bench/sessions.js';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { createProject, createShellProject, eventually, type Project, stream } from '../helpers/project.ts';

const HOUR = 3_600_000;

/** The ids that `ls -q` prints. */
async function ids(project: Project, args = '', options: ScreenOptions = {}): Promise<string[]> {
  const shown = await onScreen(project, ['ls', '-q', ...args.split(' ').filter(Boolean)], options);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  return shown.stdout.split('\n').slice(0, -1);
}

const [A, B, C] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as const;

test('ls narrows by status, directory, time and text, and orders by last activity or creation', async () => {
  const project = createProject();
  const inner = join(project.directory, 'inner');
  mkdirSync(inner);
  const start = Date.now();
  const at = (hours: number, env = {}) => ({ now: start - hours * HOUR, env });
  await project.ended(['Fix the Tests', '--name', 'oldest'], { ...at(5), newId: A });
  await onScreen(project, ['start', '--wait', 'write docs'], {
    ...at(4, { FAKE_AGENT_EXIT: '1' }),
    newId: B,
  });
  const shell = at(3, { FAKE_AGENT_STREAM: stream('shell') });
  await project.ended(['look around'], { ...shell, cwd: inner, newId: C });
  for (const [args, found] of [
    ['', [C, B, A]],
    ['--status failed', [B]],
    ['--status failed,completed -n 2', [C, B]],
    ['--here', [C, B, A]],
    ['--grep tests', [A]],
    ['--grep TESTS', []],
    ['--grep oldest', [A]],
    ['--grep app.py', [C]],
    ['--grep .*', []],
  ] as const)
    expect.soft(await ids(project, args), args).toEqual(found);
  expect(await ids(project, '--here', { cwd: inner })).toEqual([C]);
  const beside = join(project.directory, 'inn');
  mkdirSync(beside);
  expect(await ids(project, '--here', { cwd: beside })).toEqual([]);
  await onScreen(project, ['inject', 'oldest', '--wait', 'again']);
  expect(await ids(project)).toEqual([A, C, B]);
  expect(await ids(project, '--sort created')).toEqual([C, B, A]);
  expect(await ids(project, '--grep again')).toEqual([A]);
  expect(await ids(project, '--sort updated')).toEqual([A, C, B]);
  expect(await ids(project, '--since 1h', { now: Date.now() + 2 * HOUR })).toEqual([]);
  expect(await ids(project, '--since 3h', { now: Date.now() + 2 * HOUR })).toHaveLength(3);
});

test('a session tells its newest message, and while it runs what it is doing and since when', async () => {
  const project = createProject();
  const now = async () => {
    const [row] = await project.list();
    return { ...row, begun: row?.turn_started_at === null ? null : typeof row?.turn_started_at };
  };
  await project.ended(['first'], { newId: A });
  expect(await now()).toMatchObject({
    task: 'first',
    last_prompt: 'first',
    answer_line: expect.stringMatching(/^The project prints/),
    current_step: null,
    begun: 'string',
  });
  const long = `second\n${'x'.repeat(1000)}`;
  const env = { FAKE_AGENT_HANG: '1', FAKE_AGENT_STREAM: join(project.base, 'stream') };
  writeFileSync(
    env.FAKE_AGENT_STREAM,
    `${JSON.stringify({
      type: 'item.started',
      item: {
        id: 'item_0',
        type: 'command_execution',
        command: "/bin/bash -lc 'npm  test\n# all'",
        status: 'in_progress',
      },
    })}\n`,
  );
  await onScreen(project, ['inject', A, long], { env });
  await eventually('it runs', async () => (await now()).current_step !== null);
  const running = await now();
  expect(running).toMatchObject({
    status: 'running',
    task: 'first',
    current_step: '$ npm test # all',
    begun: 'string',
  });
  expect(running.last_prompt).toBe(`${long.replace('\n', ' ').slice(0, 199)}…`);
  expect(running.answer_line).toBe(null);
  expect((await project.show(A)).last_prompt).toBe(long);
  await onScreen(project, ['kill', A]);
  expect(await now()).toMatchObject({
    status: 'killed',
    current_step: null,
    last_prompt: running.last_prompt,
  });
  await onScreen(project, ['rewind', A, '--to', '1']);
  const first = expect.not.stringContaining(running.turn_started_at ?? '');
  expect(await now()).toMatchObject({ turn: 1, turn_started_at: first, last_prompt: 'first' });
});

test('a list says what it leaves out, and why it is empty', async () => {
  const project = createProject();
  const onTerminal = (line: string) => project.$(line, { tty: true, env: { NO_COLOR: '1' } });
  expect(await onTerminal('ls')).toBe('no sessions; start one: zwarm start "task"\n');
  expect(await project.$('ls --json')).toBe('[]\n');
  for (const newId of [A, B]) await project.ended(['x'], { newId });
  expect(await onTerminal('ls --status failed')).toBe('none of 2 match\n');
  expect(await onTerminal('ls -q --status failed')).toBe('none of 2 match\n');
  expect(await project.$('ls --status failed')).toBe('');
  expect(await onTerminal('ls')).not.toContain('--all');
  await onScreen(project, ['start', 'runs'], { newId: C, env: { FAKE_AGENT_HANG: '1' } });
  expect(await onTerminal('ls -n 1')).toMatch(/^ID .*\n.*\n1 of 3, 1 running · --all shows all\n$/);
});

test('a session answers to its id, its name, a prefix and @last', async () => {
  const project = createProject();
  const start = Date.now();
  await project.ended(['one', '--name', 'code'], { newId: 'aaaaaaaaaa', now: start - 3 * HOUR });
  await project.ended(['two', '--name', 'docs'], { newId: 'abcdefghjm', now: start - 2 * HOUR });
  await project.ended(['three', '--name', 'aaaa'], { newId: 'bbbbbbbbbb', now: start - HOUR });
  for (const [ref, id] of [
    ['docs', 'abcdefghjm'],
    ['abc', 'abcdefghjm'],
    ['@last', 'bbbbbbbbbb'],
    ['@last~2', 'aaaaaaaaaa'],
    // An exact name comes before the beginning of an id.
    ['aaaa', 'bbbbbbbbbb'],
    ['aaaaa', 'aaaaaaaaaa'],
  ] as const)
    expect.soft((await project.show(ref)).id, ref).toBe(id);
  expect(await onScreen(project, ['rm', 'abcd'])).toMatchObject({ code: 0, stdout: 'abcdefghjm\n' });
  expect((await onScreen(project, ['show', 'docs'])).code).toBe(3);
});

test('@last is the first of ls, whatever agents print and whatever became of files', async () => {
  const project = createShellProject();
  const first = await project.ended(['quick']);
  const [a, b] = [await project.begin('hang'), await project.begin('hang')];
  const order = async () => {
    const ids = (await project.ok(['ls', '-q'])).split('\n');
    for (const [i, id] of ids.entries()) expect((await project.show(`@last~${i}`)).id).toBe(id);
    const at = (await project.list()).map(({ active_at }) => active_at ?? '');
    expect(at).toEqual(at.toSorted().reverse());
    return ids;
  };
  expect(await order()).toEqual([b, a, first]);
  // Of several that run it stays the one that was given a message last.
  appendFileSync(project.turnFile(a, 1, 'events.jsonl'), '{"type":"turn.started"}\n');
  for (const id of [first, a]) utimesSync(join(project.store(), 'sessions', id, 'session.json'), 9e9, 9e9);
  expect(await order()).toEqual([b, a, first]);
  expect(await project.$('kill @last')).toBe(`${b} killed\n`);
  expect(await order()).toEqual([b, a, first]);
  await project.ok(['inject', '--wait', first, 'quick']);
  expect(await order()).toEqual([first, b, a]);
  await project.ok(['rewind', b, '--to', '0']);
  const fork = await project.ok(['fork', '-q', first]);
  expect(await order()).toEqual([fork, b, first, a]);
  await project.ok(['kill', a]);
  await project.settled(first, 2);
  await project.ok(['rm', fork]);
  expect(await order()).toEqual([a, b, first]);
});

test('a message that was taken back, and damage further back, hide no activity from @last or ls', async () => {
  const project = createShellProject();
  const first = await project.begin('gate go');
  await project.ok(['inject', '-q', '--queue', first, 'quick']);
  await project.ok(['queue', 'rm', first]);
  const second = await project.ended(['quick']);
  writeFileSync(join(project.directory, 'go'), '');
  await project.settled(first);
  const order = async () => (await project.ok(['ls', '-q', '--all'])).split('\n');
  expect(await order()).toEqual([first, second]);
  const [row] = await project.list();
  expect(row?.active_at).toBe(row?.ended_at);
  expect((await project.show('@last')).id).toBe(first);
  await project.ok(['inject', '--wait', first, 'quick']);
  await project.settled(first, 3);
  writeFileSync(project.turnFile(first, 1, 'request.json'), '{');
  rmSync(join(project.store(), 'sessions', first, 'summary.json'), { force: true });
  expect((await project.list()).map(({ id, status }) => [id, status])).toEqual([
    [first, 'damaged'],
    [second, 'completed'],
  ]);
  expect(await project.$('show @last')).toContain(`the records of ${first} cannot be read`);
  expect((await project.show('@last~1')).id).toBe(second);
});

test('@here is the newest session that works in this directory or below', async () => {
  const project = createProject();
  const [inner, empty] = [join(project.directory, 'inner'), join(project.directory, 'empty')];
  for (const directory of [inner, empty]) mkdirSync(directory);
  await project.ended(['x']);
  for (const newId of [A, B]) await project.ended(['x'], { newId, cwd: inner });
  await project.ended(['x'], { newId: C });
  const here = async (cwd: string) =>
    (await project.$('answer @here --json', { cwd })).match(/"id": "(\w+)"/)?.[1];
  expect(await here(inner)).toBe(B);
  expect(await here(project.directory)).toBe(C);
  writeFileSync(join(project.store(), 'sessions', B, 'session.json'), '{');
  expect(await here(inner)).toBe(A);
  expect(await project.$('show @here', { cwd: empty })).toBe(
    `zwarm: no session works in ${empty} or below\nhint: see: zwarm ls --all\n[exit 3]\n`,
  );
  // An agent of another caller runs at the root, and is told where to work.
  const path = join(project.store(), 'sessions', C, 'session.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), work_in: 'empty' }));
  expect(await here(empty)).toBe(C);
  rmSync(join(path, '..', 'summary.json'));
  expect(await project.$('ls --here -q', { cwd: empty })).toContain(C);
});

test('ls shows the newest 20 and all that run; -n and --all show what they say', async () => {
  const project = createProject();
  const start = Date.now();
  const hang = { FAKE_AGENT_HANG: '1' };
  await onScreen(project, ['start', 'runs'], { newId: 'zzzzzzzzzz', now: start - 100 * HOUR, env: hang });
  await project.ended(['x'], { newId: A, now: start - 99 * HOUR });
  copySession({ project: project.directory, id: A, directory: project.turnFile(A, 1, '.') }, 21);
  expect(await ids(project)).toHaveLength(21);
  expect((await ids(project)).at(-1)).toBe('zzzzzzzzzz');
  expect(await ids(project, '-n 3')).toHaveLength(3);
  expect(await ids(project, '--all')).toHaveLength(23);
  expect(await ids(project, '-n 100')).toHaveLength(23);
});

test('clean removes what ended long enough ago, by its newest end, and nothing that runs', async () => {
  const project = createProject();
  const start = Date.now();
  const exit = (id: string, turn: number, days: number): void => {
    const path = project.turnFile(id, turn, 'exit.json');
    const time = new Date(start - days * 24 * HOUR);
    const record = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...record, ended_at: time.toISOString() }));
    utimesSync(path, time, time);
    // What a summary remembers is older than what we have just done to the clock.
    rmSync(join(project.turnFile(id, 1, '..'), '..', 'summary.json'), { force: true });
  };
  const long = { now: start - 500 * HOUR };
  for (const id of [A, B, C]) await project.ended(['x'], { ...long, newId: id });
  await onScreen(project, ['inject', B, '--wait', 'again'], { now: start - 499 * HOUR });
  await project.settled(B, 2);
  const running = 'dddddddddd';
  await onScreen(project, ['start', 'runs'], { ...long, newId: running, env: { FAKE_AGENT_HANG: '1' } });
  exit(A, 1, 8);
  exit(B, 1, 9);
  exit(B, 2, 3);
  exit(C, 1, 30);
  const cleaned = async (args: string) =>
    JSON.parse((await onScreen(project, ['clean', '--json', ...args.split(' ')], { now: start })).stdout);
  const skipped = [{ id: running, reason: 'running', old_enough: false }];
  const bytes = expect.any(Number);
  const removing = (...removed: string[]) => {
    const sessions = removed.map((id) => expect.objectContaining({ id, name: null, task: 'x', bytes }));
    return { removed, sessions, skipped, worktrees: [], bytes };
  };
  expect(await cleaned('--dry-run --days 2.5')).toMatchObject(removing(A, B, C));
  expect(await ids(project)).toHaveLength(4);
  expect(await cleaned('--older-than 480h')).toMatchObject(removing(C));
  expect(await cleaned('--json')).toMatchObject(removing(A));
  expect(await cleaned('--days 4')).toMatchObject({ ...removing(), bytes: 0 });
  const shown = await onScreen(project, ['clean', '--days', '3', '-y'], { tty: true, now: start });
  expect(shown).toMatchObject({ code: 0, stdout: `${B}\n` });
  expect(shown.stderr).toMatch(/^removed 1 session, [\d.]+ k?B; kept dddddddddd \(running\)\n$/);
  expect(await ids(project)).toEqual([running]);
});

test('summaries of another version, and those of lost turns, are written anew as other turns end, fifty at a time', async () => {
  const project = createProject();
  const id = await project.ended();
  const sessions = join(project.store(), 'sessions');
  const outdated = { ...JSON.parse(readFileSync(join(sessions, id, 'summary.json'), 'utf8')), fold: 1 };
  for (let i = 0; i < 70; i += 1) {
    const copy = join(sessions, `caaaaaaa${'bcdfghjkmn'[Math.floor(i / 10)]}${'bcdfghjkmn'[i % 10]}`);
    cpSync(join(sessions, id), copy, { recursive: true });
    writeFileSync(join(copy, 'summary.json'), JSON.stringify(outdated));
    if (i < 35) continue;
    // It was lost.
    rmSync(join(copy, 'turns/1/exit.json'));
    writeFileSync(join(copy, 'turns/1/events.jsonl'), '');
    if (i >= 50) rmSync(join(copy, 'summary.json'));
  }
  const current = (): readonly string[] =>
    readdirSync(sessions).flatMap((name) => {
      const path = join(sessions, name, 'summary.json');
      const { fold = 1, listed } = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
      return fold === 1 ? [] : [listed.status];
    });
  await project.ended();
  expect(current()).toHaveLength(52);
  await project.ended();
  const all = current();
  expect(all).toHaveLength(73);
  expect(all.filter((status) => status === 'lost')).toHaveLength(35);
});
