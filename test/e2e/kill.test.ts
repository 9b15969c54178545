import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseExitRecord } from '../../src/store/records.ts';
import {
  createProject,
  eventually,
  FAKE_AGENT,
  type Project,
  processesWith,
  repositoryFile,
} from '../helpers/project.ts';

const marked = (id: string): number[] => processesWith(`ZWARM_SESSION_ID=${id}`);

async function running(project: Project, ids: readonly string[]): Promise<void> {
  await eventually('the agents run', () => project.runs().length === ids.length);
}

test('kill ends the agent, the commands that it left in sessions of their own, and the runner', async () => {
  const project = createProject();
  const agent = join(project.base, 'agent');
  // A command in its own session, one that ignores what can be ignored, and one whose parent has gone.
  writeFileSync(
    agent,
    `#!/bin/sh
[ "$1" != --version ] || exec '${FAKE_AGENT}' --version
setsid sleep 1000 &
sh -c 'trap "" INT TERM HUP; sleep 1000 & wait; wait' &
(setsid sleep 1000 &)
exec '${FAKE_AGENT}' "$@"
`,
  );
  chmodSync(agent, 0o755);
  const env = { FAKE_AGENT_HANG: '1', ZWARM_CODEX_BIN: agent };
  const id = await project.start(['hang'], { env });
  const other = await project.start(['hang too'], { env });
  await eventually('all of them live', () => marked(id).length >= 6 && marked(other).length >= 6);
  expect(await project.zwarm(['kill', id, '--grace', '0.3s'])).toMatchObject({
    code: 0,
    stdout: `${id} killed\n`,
    stderr: '',
  });
  await eventually('nothing is left', () => marked(id).length === 0);
  expect(await project.show(id)).toMatchObject({ status: 'killed', error: null, pid: null });
  // The other session lost nothing.
  expect(marked(other).length).toBeGreaterThanOrEqual(6);
  expect(await project.ok(['kill', '--all', '--grace', '0.3s', '-q'])).toBe(other);
  await eventually('nothing is left', () => marked(other).length === 0);
});

test('an agent that ignores INT and TERM is ended after the grace period', async () => {
  const project = createProject();
  const id = await project.start(['hang'], { env: { FAKE_AGENT_HANG: 'ignore' } });
  await running(project, [id]);
  expect(await project.ok(['kill', id, '--grace', '0.2'])).toBe(`${id} killed`);
  expect(await project.show(id)).toMatchObject({ status: 'killed', exit_code: null, signal: 'SIGKILL' });
});

test('a killed session keeps the answer that came first, and can be continued', async () => {
  const project = createProject();
  const id = await project.start(['hang'], { env: { FAKE_AGENT_HANG: '1' } });
  await eventually('it has answered', async () => (await project.show(id)).last_message !== null);
  await project.ok(['kill', id, '--grace', '10s']);
  const killed = await project.show(id);
  expect(killed).toMatchObject({ status: 'killed', last_message: 'The project prints two lines.' });
  expect((await project.ok(['inject', id, '--wait', 'go on'])).trim()).toBe('The project prints two lines.');
  expect(project.runs()[1]?.argv).toEqual(expect.arrayContaining(['resume', killed.thread_id]));
});

test('kill of several reports each, and the first failure is the exit code', async () => {
  const project = createProject();
  const env = { FAKE_AGENT_HANG: '1' };
  const ids = [await project.start(['one'], { env }), await project.start(['two'], { env })];
  const done = JSON.parse(await project.ok(['start', '--wait', '--json', 'x'])).id;
  await running(project, [...ids, done]);
  const [first = '', second = ''] = ids;
  const ended = await project.zwarm(['kill', '--json', '--grace', '10s', first, done, 'nosuch', second]);
  expect(ended).toMatchObject({ code: 4, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject([
    { id: first, status: 'killed' },
    { id: done, error: { code: 'not_running', hint: `see: zwarm show ${done}` } },
    { id: 'nosuch', error: { code: 'not_found' } },
    { id: second, status: 'killed' },
  ]);
  expect(JSON.parse(ended.stdout)[0]).not.toHaveProperty('turns');
  expect(await project.zwarm(['kill', '--all', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
});

test('an agent that ends well when it is asked to stop is no failure of kill --all', async () => {
  const project = createProject();
  const agent = join(project.base, 'polite codex');
  const stream = '"$FAKE_AGENT_STREAM"';
  const script = `[ "$1" != --version ] || exit 0\ntrap 'exit 0' INT\ncat > /dev/null\ncat ${stream}\nsleep 600\n`;
  writeFileSync(agent, `#!/bin/sh\n${script}`, { mode: 0o755 });
  const id = await project.start(['x'], { env: { ZWARM_CODEX_BIN: agent } });
  await eventually('it has answered', async () => (await project.show(id)).last_message !== null);
  const ended = await project.zwarm(['kill', '--all', '--grace', '10s']);
  expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect((await project.show(id)).status).toBe('completed');
});

test('two kills at once: both report the end that they saw', async () => {
  const project = createProject();
  const id = await project.start(['hang'], { env: { FAKE_AGENT_HANG: 'ignore' } });
  await running(project, [id]);
  const ends = await Promise.all([1, 2].map(() => project.zwarm(['kill', id, '--grace', '0.3'])));
  for (const end of ends) expect([0, 4]).toContain(end.code);
  expect(ends.some((end) => end.code === 0)).toBe(true);
  expect((await project.show(id)).status).toBe('killed');
});

test('sessions that an agent has started are its children and yet their own: each kill ends just one', async () => {
  const project = createProject();
  const agent = join(project.base, 'agent.mjs');
  writeFileSync(
    agent,
    `#!${process.execPath}
import { openSessions } from ${JSON.stringify(repositoryFile('dist/index.js'))};
if (process.argv[2] === '--version') process.exit(0);
const env = { ...process.env, ZWARM_CODEX_BIN: ${JSON.stringify(FAKE_AGENT)}, FAKE_AGENT_HANG: '1' };
for (const name of ['first', 'second']) await openSessions({ env }).start({ task: name, name });
setInterval(() => {}, 1 << 30);
`,
  );
  chmodSync(agent, 0o755);
  const recordedEnd = (id: string) =>
    parseExitRecord(readFileSync(project.turnFile(id, 1, 'exit.json'), 'utf8'));
  const outer = await project.start(['start two'], { env: { ZWARM_CODEX_BIN: agent } });
  await eventually('the inner agents run', () => project.runs().length === 2);
  const [first, second] = [await project.show('first'), await project.show('second')];
  expect([first.parent, second.source]).toEqual([outer, `orchestrator:${outer}`]);

  expect(await project.ok(['kill', 'first'])).toBe(`${first.id} killed`);
  await eventually('nothing of it is left', () => marked(first.id).length === 0);
  expect((await project.show(outer)).status).toBe('running');
  expect(recordedEnd(first.id)).toMatchObject({ cancelled: true });

  expect(await project.ok(['kill', outer])).toBe(`${outer} killed`);
  await eventually('nothing of it is left', () => marked(outer).length === 0);
  expect((await project.show('second')).status).toBe('running');
  expect(await project.ok(['kill', 'second'])).toBe(`${second.id} killed`);
  for (const id of [outer, second.id]) expect(recordedEnd(id)).toMatchObject({ cancelled: true });
});

test.each([
  ['session.json', 'session.json'],
  ['launch.json', 'turns/1/launch.json'],
  ['cancel.json', 'turns/1/cancel.json'],
  ['request.json', 'turns/1/request.json'],
])('an agent that spoils its own %s can be stopped', async (_, path) => {
  const project = createProject();
  const id = await project.start(['hang'], { env: { FAKE_AGENT_HANG: '1' } });
  await running(project, [id]);
  writeFileSync(join(project.store(), 'sessions', id, path), '{');
  const ended = await project.zwarm(['kill', id, '--grace', '10s']);
  expect(ended).toMatchObject({ code: 0, stdout: `${id} killed\n`, stderr: '' });
  await eventually('nothing is left', () => marked(id).length === 0);
});

test('an agent that calls itself completed in its summary does not escape kill --all', async () => {
  const project = createProject();
  const id = await project.start(['hang'], { env: { FAKE_AGENT_HANG: '1' } });
  await running(project, [id]);
  const forged = JSON.stringify({ v: 1, fold: 1, status: 'completed', turn: 1 });
  writeFileSync(join(project.store(), 'sessions', id, 'summary.json'), forged);
  expect(await project.ok(['kill', '--all', '--grace', '10s'])).toBe(`${id} killed`);
});
