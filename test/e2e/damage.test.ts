import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import type { SessionSummary } from '../../src/core/session.ts';
import { createProject, createShellProject, type Project } from '../helpers/project.ts';
import { addSession, storeOf } from '../helpers/store.ts';

const [BAD, GOOD] = ['aaaaaaaaaa', 'bbbbbbbbbb'] as const;

/** A project with sessions that nobody has launched. */
function projectOf(...ids: readonly string[]): Project {
  const project = createProject();
  const store = storeOf(project.state, project.directory);
  const record = { working_dir: project.directory };
  for (const id of ids) addSession(store, id as SessionId, { record: { ...record, task: id } });
  return project;
}

const session = (project: Project, id: string): string => join(project.store(), 'sessions', id);

/** Puts something else in the place of a file or directory. */
function put(path: string, what: 'link' | 'FIFO' | 'directory' | { text: string }): void {
  rmSync(path, { recursive: true, force: true });
  if (what === 'link') symlinkSync('/etc/hostname', path);
  else if (what === 'FIFO') execFileSync('mkfifo', ['-m', '600', path]);
  else if (what === 'directory') mkdirSync(path);
  else writeFileSync(path, what.text);
}

/** Whatever can be wrong with a session: a file of it, and what stands there instead. */
test.each<[string, Parameters<typeof put>[1] | null]>([
  ['session.json', { text: '{"v":1,' }],
  ['session.json', { text: '' }],
  ['session.json', null],
  ['session.json', 'link'],
  ['session.json', 'FIFO'],
  ['.', 'link'],
  ['.', { text: '' }],
  ['.', 'directory'],
  ['turns', { text: '' }],
  ['turns/1', null],
  ['turns/1/request.json', { text: '\0\0' }],
  ['turns/1/request.json', 'FIFO'],
  ['turns/1/events.jsonl', 'FIFO'],
  ['turns/1/events.jsonl', 'directory'],
  ['turns/1/prompt.md', 'link'],
])(
  'a session whose %s is %j is listed as damaged beside others, kept by clean, and can be removed',
  async (path, what) => {
    const project = projectOf(BAD, GOOD);
    if (what === null) rmSync(join(session(project, BAD), path), { recursive: true });
    else put(join(session(project, BAD), path), what);
    // Lists read no events and no prompt.
    const isListed = !/events|prompt/.test(path);
    const rows = Object.fromEntries((await project.list()).map((row) => [row.id, row]));
    if (isListed) expect(rows[BAD]).toMatchObject({ status: 'damaged', error: { code: 'damaged' } });
    expect(rows[GOOD]).toMatchObject({ task: GOOD });
    const shown = await project.zwarm(['show', BAD]);
    expect(shown).toMatchObject({ code: 4, stdout: '' });
    expect(shown.stderr).toMatch(new RegExp(`^zwarm: .*\nhint: .*zwarm rm ${BAD}`));
    expect(await project.$(`inject ${BAD} x`)).toContain('[exit 4]');
    expect(await project.$(`show ${GOOD}`)).not.toContain('[exit');
    const checks: { name: string; message: string; hint: string }[] = JSON.parse(
      (await project.zwarm(['doctor', '--json'])).stdout,
    ).checks;
    expect(checks.find(({ name }) => name === 'sessions')).toMatchObject({
      message: expect.stringMatching(/^1 of 2 sessions cannot be read: a{10} \(.+\)$/),
      hint: expect.stringMatching(new RegExp(`zwarm rm ${BAD}$`)),
    });
    if (!isListed) return;
    const cleaned = JSON.parse(await project.ok(['clean', '--days', '0', '--json']));
    expect(cleaned.skipped).toContainEqual({ id: BAD, reason: 'damaged' });
    expect(await project.$(`rm ${BAD}`)).toBe(`${BAD}\n`);
  },
);

test('a damaged launch record, which nothing acts on, stops no conversation', async () => {
  const project = createProject();
  const id = await project.ended();
  writeFileSync(project.turnFile(id, 1, 'launch.json'), '{');
  await project.ok(['inject', '--wait', id, 'more']);
  expect((await project.show(id)).turns.map(({ how }) => how)).toEqual([null, 'native']);
});

test('every list has the damaged ones, but ids for another command are exactly those that were asked for', async () => {
  const old = Array.from({ length: 20 }, (_, i) => `ccccccccc${'abcdefghjkmnpqrstuvw'[i]}`);
  const project = projectOf(BAD, GOOD, ...old);
  const store = storeOf(project.state, project.directory);
  // More of them than a list shows.
  addSession(store, 'zzzzzzzzzz' as SessionId, { record: { created_at: '2020-01-01T00:00:00.000Z' } });
  for (const id of [BAD, 'zzzzzzzzzz']) put(join(session(project, id), 'session.json'), { text: '' });
  const options =
    '--all|-n 1|--status failed|--here|--since 1h|--grep nowhere|--source mcp|--attention|--tree';
  for (const option of ['', ...options.split('|'), '--sort updated']) {
    const rows: SessionSummary[] = JSON.parse(
      await project.ok(['ls', '--json', ...option.split(' ').filter(Boolean)]),
    );
    const damaged = rows.filter(({ status }) => status === 'damaged').map(({ id }) => id);
    expect.soft(damaged.sort(), option).toEqual([BAD, 'zzzzzzzzzz']);
    expect.soft(await project.$(`ls ${option}`), option).toContain(`${BAD}\tdamaged\t`);
  }
  const good = await project.$('ls -q --status lost,pending');
  expect(good.split('\n')).toContain(GOOD);
  expect(good).not.toContain(BAD);
  expect(await project.$('ls -q --status damaged')).toMatch(/^(a{10}\nz{10}|z{10}\na{10})\n$/);
  expect(await project.$('ls -q --status failed')).toBe('');
});

test('an older turn whose record was edited changes neither what lists say nor what verbs decide', async () => {
  const project = createShellProject();
  const id = await project.ended();
  await project.ok(['inject', id, '--wait', 'quick']);
  await project.settled(id, 2);
  // Attack A8: it began on another machine, and never ended.
  for (const name of ['request.json', 'runner.stat']) {
    const path = project.turnFile(id, 1, name);
    const text = readFileSync(path, 'utf8');
    rmSync(path);
    writeFileSync(path, text.replace(/"(host|boot_id)":"[^"]*"/g, '"$1":"other"'));
  }
  rmSync(project.turnFile(id, 1, 'exit.json'));
  rmSync(join(project.store(), 'sessions', id, 'summary.json'));
  expect((await project.list()).map(({ status }) => status)).toEqual(['completed']);
  expect(await project.show(id)).toMatchObject({ status: 'completed', turn: 2 });
  expect(await project.zwarm(['wait', id])).toMatchObject({ code: 0, stdout: `${id} completed\n` });
  expect(await project.zwarm(['inject', id, '--wait', 'quick'])).toMatchObject({ code: 0 });
});
