import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject, eventually, FAKE_AGENT, hasEnded, repositoryFile } from '../helpers/project.ts';

test('a killed session keeps the answer that came first, and can be continued', async () => {
  const project = createShellProject();
  const env = { ZWARM_CODEX_BIN: FAKE_AGENT, FAKE_AGENT_HANG: '1' };
  const id = await project.start(['hang'], { env });
  await eventually('it has answered', async () => (await project.show(id)).last_message !== null);
  await project.ok(['kill', id, '--grace', '10s']);
  const killed = await project.show(id);
  const last_message = 'The project prints two lines.';
  expect(killed).toMatchObject({ status: 'killed', last_message, error: null, pid: null });
  expect(await project.$(`inject ${id} --wait 'go on'`)).toBe('done\n');
  expect(project.runs()[1]?.argv).toEqual(expect.arrayContaining(['resume', killed.thread_id]));
});

test('kill of several reports each, and the first failure is the exit code', async () => {
  const project = createShellProject();
  const [first, second] = [await project.begin('hang'), await project.begin('stubborn')];
  const done = await project.ended(['x']);
  const ended = await project.zwarm(['kill', '--json', '--grace', '0.2', first, done, 'nosuch', second]);
  expect(ended).toMatchObject({ code: 4, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject([
    { id: first, status: 'killed' },
    { id: done, error: { code: 'not_running', hint: `see: zwarm show ${done}` } },
    { id: 'nosuch', error: { code: 'not_found' } },
    // It ignored INT and TERM.
    { id: second, status: 'killed', exit_code: null, signal: 'SIGKILL' },
  ]);
  expect(JSON.parse(ended.stdout)[0]).not.toHaveProperty('turns');
  expect(await project.$('kill --all --json')).toBe('[]\n');
});

test('an agent that ends well when it is asked to stop is no failure of kill --all', async () => {
  const project = createShellProject();
  const id = await project.begin("run trap 'echo polite; stop=1' INT; until [ $stop ]; do sleep 0.05; done");
  expect(await project.$('kill --all --grace 10s')).toBe('');
  expect((await project.show(id)).status).toBe('completed');
});

test('sessions that an agent has started are its children and yet their own: each kill ends just one', async () => {
  const project = createShellProject();
  // By the library.
  const agent = join(project.base, 'agent.mjs');
  const script = `#!${process.execPath}
import { openSessions } from ${JSON.stringify(repositoryFile('dist/index.js'))};
if (process.argv[2] === '--version') process.exit(0);
const env = { ...process.env, ZWARM_CODEX_BIN: ${JSON.stringify(project.env['ZWARM_CODEX_BIN'])} };
for (const name of ['first', 'second']) await openSessions({ env }).start({ task: 'hang', name });
setInterval(() => {}, 1 << 30);
`;
  writeFileSync(agent, script, { mode: 0o755 });
  const outer = await project.start(['start two'], { env: { ZWARM_CODEX_BIN: agent } });
  await eventually('the inner agents run', () => project.runs().length === 2);
  const [first, second] = [await project.show('first'), await project.show('second')];
  expect([first.parent, second.source]).toEqual([outer, `orchestrator:${outer}`]);
  for (const [id, left] of [
    [first.id, outer],
    [outer, second.id],
  ] as const) {
    expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
    await eventually('nothing of it is left', () => project.marked(id).length === 0);
    expect((await project.show(left)).status).toBe('running');
  }
  expect(await project.$('kill second')).toBe(`${second.id} killed\n`);
  for (const id of [first.id, outer, second.id])
    expect(JSON.parse(readFileSync(project.turnFile(id, 1, 'exit.json'), 'utf8')).cancelled).toBe(true);
});

const FORGED = JSON.stringify({ v: 1, fold: 1, status: 'completed', turn: 1 });

test.each([
  ['session.json', '{'],
  ['turns/1/launch.json', '{'],
  ['turns/1/cancel.json', '{'],
  ['turns/1/request.json', '{'],
  ['summary.json', FORGED],
])('an agent that spoils its own %s can be stopped', async (path, text) => {
  const project = createShellProject();
  const id = await project.begin('hang');
  writeFileSync(join(project.store(), 'sessions', id, path), text);
  const verb = path === 'summary.json' ? 'kill --all' : `kill ${id}`;
  expect(await project.$(`${verb} --grace 10s`)).toBe(`${id} killed\n`);
  await eventually('nothing is left', () => project.marked(id).length === 0);
});

test('what an agent starts under a mark that is none ends with it', async () => {
  const project = createShellProject();
  const id = await project.begin('run ZWARM_MARK=x sh -c "echo \\$\\$ > pid; exec sleep 1000"');
  const pid = Number(await project.written('pid'));
  await eventually('it bears that mark', () =>
    readFileSync(`/proc/${pid}/environ`, 'utf8').includes('ZWARM_MARK=x\0'),
  );
  expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  expect(hasEnded(pid)).toBe(true);
});
