import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copySession } from '../../bench/sessions.js';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { createProject, type Project, stream } from '../helpers/project.ts';

const HOUR = 3_600_000;

/** The ids that `ls -q` prints. */
async function ids(project: Project, args = '', options: ScreenOptions = {}): Promise<string[]> {
  const shown = await onScreen(project, ['ls', '-q', ...args.split(' ').filter(Boolean)], options);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  return shown.stdout.split('\n').slice(0, -1);
}

const [A, B, C] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as const;

test('ls narrows by status, directory, time and text, and orders by creation or change', async () => {
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
    ['--here', [B, A]],
    ['--grep TESTS', [A]],
    ['--grep oldest', [A]],
    ['--grep app.py', [C]],
    ['--grep .*', []],
  ] as const)
    expect.soft(await ids(project, args), args).toEqual(found);
  expect(await ids(project, '--here', { cwd: inner })).toEqual([C]);
  await onScreen(project, ['inject', 'oldest', '--wait', 'again']);
  expect(await ids(project)).toEqual([C, B, A]);
  expect((await ids(project, '--sort updated'))[0]).toBe(A);
  expect(await ids(project, '--since 1h', { now: Date.now() + 2 * HOUR })).toEqual([]);
  expect(await ids(project, '--since 3h', { now: Date.now() + 2 * HOUR })).toHaveLength(3);
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
  const skipped = [{ id: running, reason: 'running' }];

  const bytes = expect.any(Number);
  expect(await cleaned('--dry-run --days 2.5')).toEqual({ removed: [A, B, C], skipped, bytes });
  expect(await ids(project)).toHaveLength(4);
  expect(await cleaned('--days 20')).toEqual({ removed: [C], skipped, bytes });
  expect(await cleaned('--json')).toEqual({ removed: [A], skipped, bytes });
  expect(await cleaned('--days 4')).toEqual({ removed: [], skipped, bytes: 0 });
  const shown = await onScreen(project, ['clean', '--days', '3'], { tty: true, now: start });
  expect(shown).toMatchObject({ code: 0, stdout: `${B}\n` });
  expect(shown.stderr).toMatch(/^removed 1 session, [\d.]+ k?B; kept dddddddddd \(running\)\n$/);
  expect(await ids(project)).toEqual([running]);
});
