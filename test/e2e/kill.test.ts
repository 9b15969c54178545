import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import { openSessions } from '../../src/index.ts';
import { claimTurn } from '../../src/store/claim.ts';
import {
  createShellProject,
  eventually,
  FAKE_AGENT,
  hasEnded,
  installedFile,
  type Project,
  processesBelow,
} from '../helpers/project.ts';
import { requestOf, storeOf } from '../helpers/store.ts';
import { snapshot } from '../helpers/tree.ts';

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

test('whoever ends a session has seen that, also where a message was waiting behind the turn that ran', async () => {
  const project = createShellProject();
  const id = (await project.begin('hang')) as SessionId;
  const store = storeOf(project.state, project.directory);
  const claim = { request: requestOf('behind'), prompt: Buffer.from('next') };
  claimTurn({ store, id, turn: 2 }, claim);
  await project.ok(['kill', id]);
  expect(await project.list()).toMatchObject([{ id, turn: 2, status: 'killed', needs_attention: false }]);
});

test('an agent that ends well when it is asked to stop is no failure of kill --all', async () => {
  const project = createShellProject();
  const id = await project.begin("run trap 'echo polite; stop=1' INT; until [ $stop ]; do sleep 0.05; done");
  expect(await project.$('kill --all --grace 10s')).toBe('');
  expect((await project.show(id)).status).toBe('completed');
});

test('sessions that an agent has started are its children and yet their own: each kill ends just one', async () => {
  const project = createShellProject();
  const agent = join(project.base, 'agent.mjs');
  const script = `#!${process.execPath}
import { openSessions } from ${JSON.stringify(installedFile('dist/index.js'))};
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

test.each([
  ['session.json', '{'],
  ['turns/1/launch.json', '{'],
  ['turns/1/cancel.json', '{'],
  ['turns/1/request.json', '{'],
  ['summary.json', JSON.stringify({ v: 1, fold: 1, status: 'completed', turn: 1 })],
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

const START = '"$ZWARM_NODE" "$ZWARM_MAIN" start';

const allowGenerations = (project: Project) => project.zwarm(['config', 'set', 'max_depth', '3']);

/** Three living generations, each started by the agent of the one before it; their ids, oldest first. */
async function createFamily(project: Project): Promise<readonly string[]> {
  await allowGenerations(project);
  const script = (name: string, below: string): void =>
    writeFileSync(join(project.directory, name), `${START} "${below}" > ${name}.id\nexec sleep 86400\n`);
  script('parent.sh', 'run sh child.sh');
  script('child.sh', 'hang');
  const parent = await project.begin('run sh parent.sh');
  return [parent, await project.written('parent.sh.id'), await project.written('child.sh.id')];
}

async function statuses(project: Project): Promise<Record<string, string>> {
  return Object.fromEntries((await project.list()).map(({ id, status }) => [id, status]));
}

test('kill ends one session, and with --tree all that its agents have started, the named one first', async () => {
  const project = createShellProject();
  const [parent = '', child = '', grandchild = ''] = await createFamily(project);
  const other = await project.begin('hang');
  expect(await project.$('ls --tree -q')).toBe([other, parent, child, grandchild, ''].join('\n'));
  const screen = await project.zwarm(['ls', '--tree'], { tty: true, env: { NO_COLOR: '1' } });
  expect(screen.stdout).toMatch(new RegExp(`└─ ${child} .* orch:${parent.slice(0, 4)} `));
  expect(screen.stdout).toMatch(new RegExp(` {3}└─ ${grandchild} `));
  expect(await project.$(`ls -q --source orch:${parent}`)).toBe(`${child}\n`);

  await project.ok(['kill', child]);
  const running = { [parent]: 'running', [grandchild]: 'running', [other]: 'running' };
  expect(await statuses(project)).toEqual({ [child]: 'killed', ...running });
  // One of them does not run itself, which is no error: others of the tree do.
  expect(await project.$(`kill --tree ${child}`)).toBe(`${grandchild} killed\n`);
  expect(await project.$(`kill --tree ${child}`)).toContain('[exit 4]');
  await project.ok(['inject', child, 'run sh child.sh']);
  await eventually('it has children again', async () => (await project.list()).length === 5);
  const killed = (await project.ok(['kill', '--tree', parent])).split('\n');
  expect([killed[0], killed.length]).toEqual([`${parent} killed`, 3]);
  const { [other]: untouched, ...ended } = await statuses(project);
  expect(untouched).toBe('running');
  expect(new Set(Object.values(ended))).toEqual(new Set(['killed']));
  expect(await project.$(`kill --tree ${parent}`)).toContain('[exit 4]');
});

test('kill --tree ends what is started while it is at it', async () => {
  const project = createShellProject();
  const { directory } = project;
  await allowGenerations(project);
  const onEnd = `trap '${START} hang > last; exit' INT TERM`;
  writeFileSync(join(directory, 'child.sh'), `${onEnd}\necho 1 > ready\nwhile :; do sleep 0.1; done\n`);
  const id = await project.begin(`run ${START} "run sh child.sh"; exec sleep 86400`);
  await project.written('ready');
  const { code, stdout } = await project.zwarm(['kill', '--tree', id]);
  expect(code).toBe(0);
  const last = await project.written('last');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${last} killed`);
  expect(await statuses(project)).toMatchObject({ [id]: 'killed', [last]: 'killed' });
});

test('a loop of ls, show and list writes nothing below .zwarm and starts nothing', async () => {
  const project = createShellProject();
  const id = await project.ended(['quick']);
  await project.zwarm(['start', '--wait', 'break']);
  const atWork = (): number[] => processesBelow(project.base);
  await eventually('all is quiet', () => atWork().length === 0);
  const sessions = openSessions({ cwd: project.directory, env: project.env });
  const before = snapshot(project.store());
  for (const line of ['ls', 'ls --json', 'ls --tree', 'ls --attention', `show ${id}`, 'show @last', 'ls'])
    expect(await project.$(line)).not.toContain('[exit');
  await sessions.list();
  expect(snapshot(project.store())).toEqual(before);
  expect(project.runs()).toHaveLength(2);
  expect(atWork()).toEqual([]);
});
