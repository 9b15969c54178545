import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessIdentity } from '../../src/core/session.ts';
import { isInNamespaceBelow, ownIdentity } from '../../src/process/identity.ts';
import { createSession } from '../../src/store/claim.ts';
import { IS_ROOT, type Need, testAsRoot } from '../helpers/as-root.ts';
import { bundled } from '../helpers/bundled.ts';
import { live } from '../helpers/marked.ts';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';
import {
  createShellProject,
  eventually,
  hasEnded,
  type Project,
  processesWith,
  runProgram,
  ZWARM,
} from '../helpers/project.ts';
import { ID, RECORD, requestOf, runnerStat, storeOf } from '../helpers/store.ts';

const own = ownIdentity();
const THREAD = '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}\n';
const ELSEWHERE = { ...own, host: 'elsewhere', boot_id: 'theirs' };
const ENDED =
  '{"v":1,"code":0,"why":null,"detail":null,"cancelled":false,"uptime":null,"ended_at":null,"events_bytes":null}\n';
const CONTAINER = { ...own, pid_ns: 'pid:[1]' };

/** A project with the session `ID`, claimed there, and launched there or never. */
function claimedAt(there: ProcessIdentity, launched: boolean): Project {
  const project = createShellProject();
  const record = { ...RECORD, working_dir: project.directory };
  const claim = { request: { ...requestOf('nonce'), claimer: there }, prompt: Buffer.from('x') };
  const store = storeOf(project.state, project.directory);
  createSession({ store, id: ID, record, names: [], claims: [claim], copies: [], unique: 'test' });
  if (launched) writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(there));
  return project;
}

test.each([
  ['host', ELSEWHERE, 'on host elsewhere', false],
  ['host', ELSEWHERE, 'on host elsewhere', true],
  ['container', CONTAINER, 'from inside a container or sandbox', false],
  ['container', CONTAINER, 'from inside a container or sandbox', true],
])('a session of another %s is only looked at, but by force', async (what, there, place, launched) => {
  const project = claimedAt(there, launched);
  expect(await project.$('ls')).toMatch(new RegExp(`^${ID}\tunknown\t1\t`));
  const host = what === 'host' ? 'elsewhere' : null;
  const unknown = { status: 'unknown', error: { code: 'elsewhere' }, turns: [{ host }] };
  expect(await project.show(ID)).toMatchObject(unknown);
  expect((await project.$(`show ${ID}`)).includes('  host       elsewhere\n')).toBe(host !== null);
  for (const line of [`kill ${ID}`, `rm ${ID}`, `wait ${ID}`])
    expect(await project.$(line), line).toContain('[exit 4]');
  expect(await project.$(`answer ${ID}`)).toMatch(
    new RegExp(`was started ${place}: .*\n(.*\n)?\\[exit 4\\]`),
  );
  const cleaned = await project.zwarm(['clean', '--days', '0', '--json']);
  expect(cleaned.code).toBe(1);
  expect(JSON.parse(cleaned.stdout)).toMatchObject({ removed: [], skipped: [{ id: ID, reason: 'unknown' }] });
  expect(await project.$('kill --all')).toBe('');
  expect(existsSync(project.turnFile(ID, 1, 'cancel.json'))).toBe(false);

  writeFileSync(project.turnFile(ID, 1, 'events.jsonl'), THREAD);
  expect(await project.$(`inject ${ID} quick`)).toBe(
    `zwarm: ${ID} was started ${place}: whether it runs cannot be determined here\n` +
      `hint: go on with it there; if that is gone for good: zwarm inject --force ${ID} "…"\n[exit 4]\n`,
  );
  expect(await project.$(`kill ${ID}`)).toContain(`for good: zwarm kill --force ${ID}`);
  expect(await project.$(`inject ${ID} --force --wait quick`)).toBe('done\n');
  // A runner that comes late after all must find that its turn was called off.
  expect(existsSync(project.turnFile(ID, 1, 'cancel.json'))).toBe(!launched);

  const other = claimedAt(there, launched);
  expect(await other.$(`kill --force ${ID}`)).toBe(`${ID} killed\n`);
  expect(await other.show(ID)).toMatchObject({ status: 'killed', exit_code: null });
  expect(await other.$(`inject ${ID} --wait quick`)).toBe('done\n');
});

test('--force is no way around the end of what runs here', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  expect(await project.$(`inject ${id} --force quick`)).toContain('[exit 4]');
  expect(await project.$(`rm --force ${id}`)).toContain('[exit 4]');
  expect(await project.$(`kill --force ${id}`)).toBe(`${id} killed\n`);
  await eventually('nothing of it lives', () => project.marked(id).length === 0);
});

test('a session of another boot is lost, and can be removed', async () => {
  const project = claimedAt({ ...own, boot_id: 'before' }, true);
  expect(await project.$('ls')).toMatch(new RegExp(`^${ID}\tlost\t`));
  expect(await project.$(`kill ${ID}`)).toContain('[exit 4]');
  expect(await project.$(`rm ${ID}`)).toBe(`${ID}\n`);
});

test('a record that names a living stranger keeps nothing running, and the stranger is left alone', async () => {
  const project = claimedAt({ ...own, pid: 4_194_305 }, false);
  const told = join(project.base, 'told');
  const script = `trap ': > "$1"' HUP INT TERM CONT; sleep 1000 & echo ready; wait; wait`;
  const stranger = await live(null, script, [told]);
  writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(stranger.identity));
  expect(await project.$('ls')).toMatch(new RegExp(`^${ID}\tlost\t`));
  expect(await project.$(`kill ${ID}`)).toContain('[exit 4]');
  // Nor does it when nothing else of the session can be read.
  writeFileSync(project.turnFile(ID, 1, 'request.json'), '{');
  expect(await project.$(`kill ${ID}`)).toContain('[exit 4]');
  expect(await project.$(`rm ${ID}`)).toBe(`${ID}\n`);
  expect(hasEnded(stranger.pid)).toBe(false);
  expect(existsSync(told)).toBe(false);
});

test('a claim in the name of a living stranger can be killed, and then removed', async () => {
  const stranger = await live(null);
  const project = claimedAt(stranger.identity, false);
  expect(await project.$('ls')).toMatch(new RegExp(`^${ID}\tpending\t`));
  expect(await project.$(`rm ${ID}`)).toContain('[exit 4]');
  expect(await project.$(`kill ${ID}`)).toBe(`${ID} killed\n`);
  const exit = JSON.parse(readFileSync(project.turnFile(ID, 1, 'exit.json'), 'utf8'));
  expect(exit.why).toBe('cancelled');
  expect(await project.$(`rm ${ID}`)).toBe(`${ID}\n`);
  expect(hasEnded(stranger.pid)).toBe(false);
});

test('to end a session that was unpacked elsewhere ends no agent of the first one', async () => {
  const project = createShellProject();
  const id = await project.ended(['quick']);
  const cwd = join(project.base, 'other');
  mkdirSync(cwd);
  const archive = join(project.base, 'archive.tar');
  await project.ok(['pack', id, '-o', archive]);
  await project.ok(['unpack', archive], { cwd });
  for (const where of [{}, { cwd }]) await project.ok(['inject', id, 'hang'], where);
  const status = async (options = {}) =>
    JSON.parse(await project.ok(['show', id, '--json'], options)).status as string;
  expect(await project.$(`kill ${id}`, { cwd })).toBe(`${id} killed\n`);
  expect([await status(), await status({ cwd })]).toEqual(['running', 'killed']);
  await project.ok(['kill', '--all', '-y'], { cwd });
  expect(await project.$(`inject --interrupt ${id} --wait quick`, { cwd })).toBe('done\n');
  expect(await status()).toBe('running');
  expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
});

test('an agent that forges or removes what is recorded of it still runs, is not doubled, and can be killed', async () => {
  const project = createShellProject();
  const stranger = await live(null);
  const id = await project.begin('hang');
  const { pid } = await project.show(id);
  const path = project.turnFile(id, 1, 'runner.stat');
  const runs = async (): Promise<void> => {
    expect(await project.show(id)).toMatchObject({ status: 'running', pid });
    expect(await project.zwarm(['inject', id, 'more'])).toMatchObject({ code: 4, stdout: '' });
    expect(await project.zwarm(['rm', id])).toMatchObject({ code: 4, stdout: '' });
  };
  const agent = project.runs()[0]?.pid ?? 0;
  const forged: ProcessIdentity[] = [
    stranger.identity,
    { ...own, pid: agent, start: '1' },
    { ...own, boot_id: 'before' },
    ELSEWHERE,
    CONTAINER,
  ];
  for (const identity of forged) {
    writeFileSync(path, runnerStat(identity));
    await runs();
  }
  writeFileSync(path, '{');
  await runs();
  rmSync(path);
  await runs();
  const request = project.turnFile(id, 1, 'request.json');
  const honest = JSON.parse(readFileSync(request, 'utf8'));
  writeFileSync(request, JSON.stringify({ ...honest, claimer: ELSEWHERE }));
  await runs();
  expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  expect(hasEnded(agent)).toBe(true);
  expect(hasEnded(stranger.pid)).toBe(false);
  await eventually('nothing is left', () => project.marked(id).length === 0);
});

test('an agent that spoils all records of its session does not escape kill --all', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const session = join(project.turnFile(id, 1, '..'), '..');
  for (const path of [join(session, 'session.json'), project.turnFile(id, 1, 'request.json')])
    writeFileSync(path, '{');
  rmSync(project.turnFile(id, 1, 'runner.stat'));
  expect((await project.zwarm(['ls'])).stdout).toMatch(new RegExp(`^${id}\tdamaged\t`));
  expect(await project.zwarm(['rm', id])).toMatchObject({ code: 4 });
  expect(await project.$('kill --all')).toBe(`${id} killed\n`);
  expect(hasEnded(project.runs()[0]?.pid ?? 0)).toBe(true);
  await eventually('nothing is left', () => project.marked(id).length === 0);
  expect(await project.zwarm(['kill', id])).toMatchObject({ code: 4 });
  expect(await project.zwarm(['rm', id])).toMatchObject({ code: 0 });
});

test.each(['damaged', 'half removed'])('what may live elsewhere, %s, goes only by force', async (how) => {
  const project = claimedAt(ELSEWHERE, true);
  const session = join(project.store(), 'sessions', ID);
  if (how === 'damaged') writeFileSync(join(session, 'session.json'), '{');
  else {
    mkdirSync(join(session, 'turns/2'));
    const tombstone = JSON.stringify({ ...requestOf('n'), kind: 'tombstone' });
    writeFileSync(join(session, 'turns/2/request.json'), tombstone);
  }
  expect(await project.$(`rm ${ID}`)).toMatch(new RegExp(`zwarm rm --force ${ID}[\\s\\S]*\\[exit 4\\]`));
  expect((await project.zwarm(['clean', '--days', '0'])).stdout).toBe('');
  expect(existsSync(project.turnFile(ID, 1, 'prompt.md'))).toBe(true);
  expect(await project.$(`rm --force ${ID}`)).toBe(`${ID}\n`);
  expect(await project.$('ls --all')).toBe('');
});

test('a removal that another host began is finished here', async () => {
  const project = claimedAt(own, true);
  writeFileSync(project.turnFile(ID, 1, 'exit.json'), ENDED);
  mkdirSync(project.turnFile(ID, 2, '.'));
  const tombstone = { ...requestOf('n'), kind: 'tombstone', claimer: ELSEWHERE };
  writeFileSync(project.turnFile(ID, 2, 'request.json'), JSON.stringify(tombstone));
  expect(await project.$(`rm ${ID}`)).toBe(`${ID}\n`);
  expect(existsSync(join(project.store(), 'sessions', ID))).toBe(false);
});

const NEW_CONTAINER = ['--pid', '--fork', '--kill-child', '--mount-proc'];
const CONTAINERS: Need = {
  what: 'pid namespaces',
  met: IS_ROOT && spawnSync('unshare', [...NEW_CONTAINER, 'true']).status === 0,
};

const testInContainers = (name: string, body: () => Promise<void>): void =>
  testAsRoot(name, body, CONTAINERS);

testInContainers(
  'a session that runs in a container is unknown outside of it, and is left alone',
  async () => {
    const project = createShellProject();
    const { directory: cwd, env } = project;
    const script = '"$0" "$1" start hang; exec sleep 1000';
    const args = [...NEW_CONTAINER, 'sh', '-c', script, process.execPath, ZWARM];
    const container = spawn('unshare', args, { cwd, env, stdio: 'ignore' });
    onTestFinished(() => void container.kill('SIGKILL'));
    // Its pid in there means somebody else out here.
    await eventually('the agent runs', () => project.runs().length === 1);
    const id = (await project.list())[0]?.id ?? '';
    const inside = project.marked(id);
    expect(inside.length).toBeGreaterThanOrEqual(2);
    expect(await project.show(id)).toMatchObject({ status: 'unknown', pid: null });
    for (const line of [`kill ${id}`, `inject ${id} more`, `rm ${id}`, `wait ${id}`])
      expect(await project.$(line)).toContain('[exit 4]');
    expect(inside.filter(hasEnded)).toEqual([]);
    container.kill('SIGKILL');
    await eventually('all of it has ended', () => project.marked(id).length === 0);
    // Gone, perhaps, and perhaps running on another host.
    expect((await project.show(id)).status).toBe('unknown');
  },
);

testInContainers('whoever takes the mark of a lost session in a sandbox is no sign of its life', async () => {
  const project = claimedAt({ ...own, pid: 4_194_305 }, true);
  const { store_id } = JSON.parse(readFileSync(join(project.store(), 'project.json'), 'utf8'));
  const mark = `ZWARM_MARK=${store_id}@${ID}.1.${requestOf('nonce').nonce}`;
  const posing = spawn('unshare', [...NEW_CONTAINER, 'env', mark, 'sleep', '600'], { stdio: 'ignore' });
  onTestFinished(() => void posing.kill('SIGKILL'));
  await eventually('it poses', () => processesWith(mark).length > 0);
  expect((await project.show(ID)).status).toBe('lost');
  expect(await project.$('ls')).toMatch(new RegExp(`^${ID}\tlost\t`));
  expect(await project.$(`inject --wait ${ID} 'go on'`)).toBe('done\n');
  await project.settled(ID, 2);
  writeFileSync(join(project.store(), 'sessions', ID, 'session.json'), 'damaged');
  expect(await project.$(`rm ${ID}`)).not.toContain('[exit');
});

testInContainers('what a lost turn has left in a sandbox can be killed, and it stays lost', async () => {
  const project = createShellProject();
  const left = `unshare ${NEW_CONTAINER.filter((one) => one !== '--kill-child').join(' ')} sh -c 'sleep 600 & wait'`;
  const id = await project.begin(`run ${left}`);
  const marked = () => project.marked(id);
  const below = () => marked().filter(isInNamespaceBelow);
  await eventually('it runs in its sandbox', () => below().length >= 2);
  for (const pid of marked().filter((one) => !isInNamespaceBelow(one))) process.kill(pid, 'SIGKILL');
  await eventually('only that is left', () => marked().every(isInNamespaceBelow));
  expect(marked()).not.toEqual([]);
  expect((await project.show(id)).status).toBe('lost');
  expect(await project.$(`kill ${id}`)).toMatch(/ processes? ended\n$/);
  expect(marked()).toEqual([]);
  expect((await project.show(id)).status).toBe('lost');
  expect(await project.$(`kill ${id}`)).toContain('[exit 4]');
});

for (const [place, options] of [
  ['a container with its own /proc', NEW_CONTAINER],
  ['a container with the /proc of its host', ['--pid', '--fork', '--kill-child']],
  // Where processes do not let us look.
  ['a user namespace', ['--user', '--map-current-user']],
] as const)
  testInContainers(`from ${place} a session of its host is unknown, and is left alone`, async () => {
    const project = createShellProject();
    const id = await project.start(['hang']);
    const { directory: cwd, env } = project;
    const within = (...args: string[]) =>
      runProgram('unshare', [...options, process.execPath, ZWARM, ...args], { cwd, env });
    expect(JSON.parse((await within('ls', '--json')).stdout)).toMatchObject([{ id, status: 'unknown' }]);
    for (const args of [
      ['inject', id, 'x'],
      ['rm', id],
      ['kill', id],
    ])
      expect(await within(...args)).toMatchObject({ code: 4, stdout: '' });
    expect((await project.show(id)).status).toBe('running');
    expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  });

testInContainers('where /proc shows the pids of others nobody is seen or signalled', async () => {
  const program = await bundled(`
import { markedProcesses } from './src/process/turn-processes.ts';
import { livenessOf, ownIdentity } from './src/process/identity.ts';
process.stdout.write(JSON.stringify([livenessOf(ownIdentity()), markedProcesses().length]));
`);
  const look = (...options: string[]) =>
    runProgram('unshare', ['--pid', '--fork', ...options, process.execPath, program], { env: process.env });
  expect((await look()).stdout).toBe('["cannot_tell",0]');
  expect((await look('--mount-proc')).stdout).toBe('["yes",1]');
});

testAsRoot('processes of others, which may not be looked at, are in nobody’s way', async () => {
  const { ordinary, endAll, runs, marked } = createOrdinaryProject();
  onTestFinished(endAll);
  const id = (await ordinary(['start', 'hang'])).stdout.trim();
  await eventually('the agent runs', () => runs().length === 1);
  const show = async () => JSON.parse((await ordinary(['show', id, '--json'])).stdout);
  // Without its runner, all processes must be looked at.
  process.kill((await show()).pid, 'SIGKILL');
  await eventually('the runner is gone', () => marked(id).length === 1);
  expect(await show()).toMatchObject({ status: 'running', pid: null });
  const killed = await ordinary(['kill', id, '--grace', '10s']);
  expect(killed).toMatchObject({ code: 0, stdout: `${id} killed\n` });
  expect(marked(id)).toEqual([]);
});
