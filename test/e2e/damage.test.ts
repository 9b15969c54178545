import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import { FOLD_VERSION } from '../../src/manager/session/session-summary.ts';
import { createSummaryReader } from '../../src/store/summary.ts';
import { createProject, createShellProject, FAKE_AGENT, type Project } from '../helpers/project.ts';
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

function put(path: string, what: 'link' | 'FIFO' | 'directory' | { text: string }): void {
  rmSync(path, { recursive: true, force: true });
  if (what === 'link') symlinkSync('/etc/hostname', path);
  else if (what === 'FIFO') execFileSync('mkfifo', ['-m', '600', path]);
  else if (what === 'directory') mkdirSync(path);
  else writeFileSync(path, what.text);
}

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
])('a session whose %s is %j is listed as damaged, and can be removed', async (path, what) => {
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
  const files = `ls -R ${session(project, BAD)}`;
  expect(shown.stderr).toMatch(/^zwarm: .*\n/);
  // What could not be read may be all that there is: nobody is told to remove it.
  expect(shown.stderr).toContain(`\nhint: look at its files: ${files}\n`);
  expect(await project.$(`inject ${BAD} x`)).toContain('[exit 4]');
  expect(await project.$(`show ${GOOD}`)).not.toContain('[exit');
  const { checks } = JSON.parse((await project.zwarm(['doctor', '--json'])).stdout);
  const message = expect.stringMatching(/^1 of 2 sessions cannot be read: a{10} \(.+\)$/);
  const hint = `look at their files: ${files}`;
  expect(checks).toContainEqual(expect.objectContaining({ name: 'sessions', message, hint }));
  if (!isListed) return;
  expect(await project.$('clean --days 0')).toBe(
    `zwarm: could not be deleted or judged: ${BAD} (damaged); to hear why: zwarm show ${BAD}\n[exit 1]\n`,
  );
  expect(await project.$(`rm ${BAD}`)).toBe(`${BAD}\n`);
});

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
    const rows = await project.list(option.split(' ').filter(Boolean));
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

test('settle says so where it cannot keep how a session stands', async () => {
  const project = createShellProject();
  const id = await project.ended();
  const summary = join(project.store(), 'sessions', id, 'summary.json');
  rmSync(summary);
  mkdirSync(join(summary, 'in the way'), { recursive: true });
  const env = { ZWARM_SESSION_ID: id, ZWARM_TURN: '1' };
  expect(await project.zwarm(['settle'], { env })).toMatchObject({ code: 1 });
});

/* The two ways to a row of a list: from the summary, and from the session's own files. */

const LISTS = `ls --json|ls --all|ls -q --sort updated|ls --tree|ls --all --json --grep LINE
  |ls --status failed,killed -n 2|ls --source you`.split(/\s*\|/);

test('the row of every session is the same with its summary and without it, byte for byte', async () => {
  const project = createShellProject();
  const completed = await project.ended(['one line', '--name', 'docs']);
  await project.ended([`  Eine „lange“ Geschichte,\n${'äöü 漢字 👩‍👩‍👧 \x1b[2J\t\u202e '.repeat(100)}`]);
  const silent = {
    ZWARM_CODEX_BIN: FAKE_AGENT,
    FAKE_AGENT_STREAM: undefined,
    FAKE_AGENT_STDERR: 'no – 💥\n',
  };
  await project.start(['exit 42']);
  await project.start(['die']);
  await project.start(['says nothing'], { env: silent });
  await project.ok(['kill', await project.begin('hang')]);
  await project.ok(['inject', completed, '--wait', 'again']);
  await project.settled(completed, 2);
  const rewound = await project.ended(['is rewound']);
  await project.ok(['inject', rewound, '--wait', 'forget this']);
  await project.ok(['rewind', rewound, '--to', '1']);
  await project.ok(['fork', completed, '--turn', '1']);
  await project.start(['of an agent'], { env: { ZWARM_SESSION_ID: completed } });
  const root = project.store();
  const ended = readdirSync(join(root, 'sessions')) as SessionId[];
  await project.zwarm(['wait', ...ended]);
  const read = createSummaryReader({ root, projectRoot: project.directory }, FOLD_VERSION);
  // What is compared is the fast way with the plain one: each of them has a summary that is current.
  for (const id of ended) if (read(id) === null) await project.settled(id);
  expect(ended.filter((id) => read(id) === null)).toEqual([]);
  const damaged = await project.ended(['is damaged']);
  rmSync(join(root, 'sessions', damaged, 'summary.json'));
  writeFileSync(join(root, 'sessions', damaged, 'session.json'), '{');
  await project.begin('hang');

  const statuses = (await project.list()).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(
    new Set(['running', 'damaged', 'completed', 'failed', 'killed', 'ready']),
  );
  /** What each of the lists prints, but for how long the one that runs has been running. */
  const lists = async (): Promise<string[]> => {
    const texts = await Promise.all(LISTS.map((line) => project.$(line)));
    return texts.map((text) => text.replace(/(?<="running",[^}]*"duration_ms": )\d+/g, '0'));
  };
  const before = await lists();
  expect(JSON.parse(before[0] ?? '')).toHaveLength(ended.length + 2);
  for (const id of ended) rmSync(join(root, 'sessions', id, 'summary.json'));
  expect(await lists()).toEqual(before);
});
