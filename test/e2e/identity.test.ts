import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessIdentity } from '../../src/core/session.ts';
import { ownIdentity } from '../../src/process/identity.ts';
import { createSession } from '../../src/store/claim.ts';
import { live } from '../helpers/marked.ts';
import { createShellProject, eventually, hasEnded, type Project } from '../helpers/project.ts';
import { ID, RECORD, requestOf, storeOf } from '../helpers/store.ts';

/** `runner.stat` as a runner of that identity would have written it. */
function runnerStat({ start, ...identity }: ProcessIdentity): string {
  const stat = `${identity.pid} (sh) S ${'0 '.repeat(18)}${start} 0`;
  return `${JSON.stringify({ v: 1, ...identity, stat })}\n`;
}

const own = ownIdentity();

const THREAD = '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}\n';

const ELSEWHERE = { ...own, host: 'elsewhere', boot_id: 'theirs' };
const CONTAINER = { ...own, pid_ns: 'pid:[1]' };

/** A project with the session `ID`, claimed there, and launched there or never. */
function claimedAt(there: ProcessIdentity, launched: boolean): Project {
  const project = createShellProject();
  const record = { ...RECORD, working_dir: project.directory };
  const claim = { request: { ...requestOf('nonce'), claimer: there }, prompt: Buffer.from('x') };
  const store = storeOf(project.state, project.directory);
  createSession({ store, id: ID, record, name: null, claim, copies: [], unique: 'test' });
  if (launched) writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(there));
  return project;
}

test.each([
  ['host', ELSEWHERE, 'on host elsewhere', false],
  ['host', ELSEWHERE, 'on host elsewhere', true],
  ['container', CONTAINER, 'from inside a container or sandbox', false],
  ['container', CONTAINER, 'from inside a container or sandbox', true],
])(
  'a session of another %s is unknown: it is only looked at, but for whoever knows that it is gone',
  async (what, there, place, launched) => {
    const project = claimedAt(there, launched);
    expect(await project.$('ls')).toMatch(new RegExp(`^${ID}\tunknown\t1\t`));
    const host = what === 'host' ? 'elsewhere' : null;
    const unknown = { status: 'unknown', error: { code: 'elsewhere' }, turns: [{ host }] };
    expect(await project.show(ID)).toMatchObject(unknown);
    expect((await project.$(`show ${ID}`)).includes('  host       elsewhere\n')).toBe(host !== null);
    for (const line of [`kill ${ID}`, `rm ${ID}`, `wait ${ID}`])
      expect(await project.$(line), line).toContain('[exit 4]');
    const cleaned = JSON.parse(await project.ok(['clean', '--days', '0', '--json']));
    expect(cleaned).toMatchObject({ removed: [], skipped: [{ id: ID, reason: 'unknown' }] });
    expect(await project.$('kill --all')).toBe('');
    expect(existsSync(project.turnFile(ID, 1, 'cancel.json'))).toBe(false);

    writeFileSync(project.turnFile(ID, 1, 'events.jsonl'), THREAD);
    expect(await project.$(`inject ${ID} quick`)).toBe(
      `zwarm: ${ID} was started ${place}: whether it runs cannot be told here\n` +
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
  },
);

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
  writeFileSync(request, JSON.stringify({ ...honest, nonce: 'another', claimer: ELSEWHERE }));
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

test.each(['damaged', 'half removed'])(
  'what may live elsewhere and is %s is not removed but by force',
  async (how) => {
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
  },
);
