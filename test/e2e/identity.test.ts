import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessIdentity } from '../../src/core/session.ts';
import { ownIdentity } from '../../src/process/identity.ts';
import { createSession } from '../../src/store/claim.ts';
import { live } from '../helpers/marked.ts';
import { eventually } from '../helpers/project.ts';
import { createShellProject, hasEnded, type ShellProject } from '../helpers/shell-project.ts';
import { ID, RECORD, requestOf, storeOf } from '../helpers/store.ts';

/** `runner.stat` as a runner of that identity would have written it. */
function runnerStat({ start, ...identity }: ProcessIdentity): string {
  const stat = `${identity.pid} (sh) S ${'0 '.repeat(18)}${start} 0`;
  return `${JSON.stringify({ v: 1, ...identity, stat })}\n`;
}

function rewrite(
  project: ShellProject,
  id: string,
  name: string,
  change: (json: Record<string, unknown>) => object,
): void {
  const path = project.turnFile(id, 1, name);
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
}

/** A session in the project that `claimer` has claimed; nobody has launched it. */
function claimed(project: ShellProject, claimer: ProcessIdentity, at = RECORD.created_at): void {
  const request = { ...requestOf('nonce'), claimer, at };
  const record = { ...RECORD, working_dir: project.directory };
  const claim = { request, prompt: Buffer.from('x') };
  const store = storeOf(project.state, project.directory);
  createSession({ store, id: ID, record, name: null, claim, copies: [], unique: 'test' });
}

const own = ownIdentity();

const THREAD = '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}\n';

test.each([
  ['another host', { ...own, host: 'elsewhere', boot_id: 'theirs' }],
  ['another container', { ...own, pid_ns: 'pid:[1]' }],
])('a session of %s is unknown: it can be looked at, and nothing else', async (_, there) => {
  const project = createShellProject();
  claimed(project, there);
  for (const launched of [false, true]) {
    if (launched) writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(there));
    expect((await project.run(['ls'])).stdout).toMatch(new RegExp(`^${ID}\tunknown\t1\t`));
    const shown = await project.run(['show', ID, '--json']);
    const host = there.host === own.host ? null : there.host;
    const unknown = { status: 'unknown', error: { code: 'elsewhere' }, turns: [{ host }] };
    expect(JSON.parse(shown.stdout)).toMatchObject(unknown);
    expect((await project.run(['show', ID])).stdout.includes('  host       elsewhere\n')).toBe(host !== null);
    for (const args of [
      ['kill', ID],
      ['inject', ID, 'more'],
      ['rm', ID],
      ['wait', ID],
    ]) {
      expect(await project.run(args)).toMatchObject({ code: 4, stdout: '' });
    }
    const cleaned = await project.run(['clean', '--days', '0', '--json']);
    expect(JSON.parse(cleaned.stdout)).toMatchObject({
      removed: [],
      skipped: [{ id: ID, reason: 'unknown' }],
    });
    expect(await project.run(['kill', '--all'])).toMatchObject({ code: 0, stdout: '' });
    expect(existsSync(project.turnFile(ID, 1, 'cancel.json'))).toBe(false);
  }
});

test.each([
  ['another host', { ...own, host: 'elsewhere', boot_id: 'theirs' }, 'on host elsewhere'],
  ['another container', { ...own, pid_ns: 'pid:[1]' }, 'from inside a container or sandbox'],
])(
  'whoever knows that a session’s host or container is gone (%s) goes on with it, or ends it',
  async (_, there, place) => {
    for (const launched of [false, true]) {
      const project = createShellProject();
      claimed(project, there);
      if (launched) writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(there));
      writeFileSync(project.turnFile(ID, 1, 'events.jsonl'), THREAD);
      const refused = await project.run(['inject', ID, 'quick']);
      expect(refused).toMatchObject({ code: 4, stdout: '' });
      expect(refused.stderr).toBe(
        `zwarm: ${ID} was started ${place}: whether it runs cannot be told here\n` +
          `hint: go on with it there; if that is gone for good: zwarm inject --force ${ID} "…"\n`,
      );
      expect(await project.run(['inject', ID, '--force', '--wait', 'quick'])).toMatchObject({
        code: 0,
        stdout: 'done\n',
      });
      // A runner that comes late after all must find that its turn was called off.
      expect(existsSync(project.turnFile(ID, 1, 'cancel.json'))).toBe(!launched);
      expect(await project.run(['rm', ID])).toMatchObject({ code: 0 });
    }
    for (const launched of [false, true]) {
      const project = createShellProject();
      claimed(project, there);
      if (launched) writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(there));
      writeFileSync(project.turnFile(ID, 1, 'events.jsonl'), THREAD);
      expect((await project.run(['kill', ID])).stderr).toContain(`for good: zwarm kill --force ${ID}`);
      expect(await project.run(['kill', '--force', ID])).toMatchObject({ code: 0, stdout: `${ID} killed\n` });
      const shown = JSON.parse((await project.run(['show', ID, '--json'])).stdout);
      expect(shown).toMatchObject({ status: 'killed', exit_code: null });
      expect(await project.run(['inject', ID, '--wait', 'quick'])).toMatchObject({ code: 0 });
    }
  },
);

test('--force is no way around the end of what runs here', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  expect(await project.run(['inject', id, '--force', 'quick'])).toMatchObject({ code: 4 });
  expect(await project.run(['rm', '--force', id])).toMatchObject({ code: 4 });
  expect(await project.run(['kill', '--force', id])).toMatchObject({ code: 0 });
  await eventually('nothing of it lives', () => project.marked(id).length === 0);
});

test('a session of another boot is lost, and can be removed', async () => {
  const project = createShellProject();
  const before = { ...own, boot_id: 'before' };
  claimed(project, before);
  writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(before));
  expect((await project.run(['ls'])).stdout).toMatch(new RegExp(`^${ID}\tlost\t`));
  expect(await project.run(['kill', ID])).toMatchObject({ code: 4 });
  expect(await project.run(['rm', ID])).toMatchObject({ code: 0 });
});

test('a record that names a living stranger keeps nothing running, and the stranger is left alone', async () => {
  const project = createShellProject();
  const told = join(project.base, 'told');
  const stranger = await live(
    null,
    `trap ': > "$1"' HUP INT TERM CONT; sleep 1000 & echo ready; wait; wait`,
    [told],
  );
  claimed(project, { ...own, pid: 4_194_305 });
  writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(stranger.identity));
  expect((await project.run(['ls'])).stdout).toMatch(new RegExp(`^${ID}\tlost\t`));
  expect(await project.run(['kill', ID])).toMatchObject({ code: 4 });
  // Nor does it when nothing else of the session can be read.
  writeFileSync(project.turnFile(ID, 1, 'request.json'), '{');
  expect(await project.run(['kill', ID])).toMatchObject({ code: 4 });
  expect(await project.run(['rm', ID])).toMatchObject({ code: 0 });
  expect(hasEnded(stranger.pid)).toBe(false);
  expect(existsSync(told)).toBe(false);
});

test('a claim in the name of a living stranger can be killed, and then removed', async () => {
  const project = createShellProject();
  const stranger = await live(null);
  claimed(project, stranger.identity);
  expect((await project.run(['ls'])).stdout).toMatch(new RegExp(`^${ID}\tpending\t`));
  expect(await project.run(['rm', ID])).toMatchObject({ code: 4 });
  expect(await project.run(['kill', ID])).toMatchObject({ code: 0, stdout: `${ID} killed\n` });
  expect(JSON.parse(readFileSync(project.turnFile(ID, 1, 'exit.json'), 'utf8'))).toMatchObject({
    why: 'cancelled',
  });
  expect(await project.run(['rm', ID])).toMatchObject({ code: 0 });
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
    expect(await project.run(['inject', id, 'more'])).toMatchObject({ code: 4, stdout: '' });
    expect(await project.run(['rm', id])).toMatchObject({ code: 4, stdout: '' });
  };
  const agent = project.runs()[0]?.pid ?? 0;
  const forged: ProcessIdentity[] = [
    stranger.identity,
    { ...own, pid: agent, start: '1' },
    { ...own, boot_id: 'before' },
    { ...own, host: 'elsewhere', boot_id: 'theirs' },
    { ...own, pid_ns: 'pid:[1]' },
  ];
  for (const identity of forged) {
    writeFileSync(path, runnerStat(identity));
    await runs();
  }
  writeFileSync(path, '{');
  await runs();
  rmSync(path);
  await runs();
  rewrite(project, id, 'request.json', (request) => ({ ...request, nonce: 'another', claimer: forged[3] }));
  await runs();
  expect(await project.run(['kill', id])).toMatchObject({ code: 0, stdout: `${id} killed\n` });
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
  expect((await project.run(['ls'])).stdout).toMatch(new RegExp(`^${id}\tdamaged\t`));
  expect(await project.run(['rm', id])).toMatchObject({ code: 4 });
  expect(await project.run(['kill', '--all'])).toMatchObject({ code: 0, stdout: `${id} killed\n` });
  expect(hasEnded(project.runs()[0]?.pid ?? 0)).toBe(true);
  await eventually('nothing is left', () => project.marked(id).length === 0);
  expect(await project.run(['kill', id])).toMatchObject({ code: 4 });
  expect(await project.run(['rm', id])).toMatchObject({ code: 0 });
});

test('what may live elsewhere is not removed when its records are damaged or a tombstone is there, but by force', async () => {
  const there = { ...own, host: 'elsewhere', boot_id: 'theirs' };
  for (const spoil of [
    (project: ShellProject) => writeFileSync(join(project.store(), 'sessions', ID, 'session.json'), '{'),
    (project: ShellProject) => {
      const turn = join(project.store(), 'sessions', ID, 'turns/2');
      mkdirSync(turn);
      writeFileSync(join(turn, 'request.json'), JSON.stringify({ ...requestOf('n'), kind: 'tombstone' }));
    },
  ]) {
    const project = createShellProject();
    claimed(project, there);
    writeFileSync(project.turnFile(ID, 1, 'runner.stat'), runnerStat(there));
    spoil(project);
    const refused = await project.run(['rm', ID]);
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain(`zwarm rm --force ${ID}`);
    expect((await project.run(['clean', '--days', '0'])).stdout).toBe('');
    expect(existsSync(project.turnFile(ID, 1, 'prompt.md'))).toBe(true);
    expect(await project.run(['rm', '--force', ID])).toMatchObject({ code: 0, stdout: `${ID}\n` });
  }
});

test('a session that is unknown can be removed by whoever knows better', async () => {
  const project = createShellProject();
  claimed(project, { ...own, host: 'elsewhere', boot_id: 'theirs' });
  expect(await project.run(['rm', '--force', ID])).toMatchObject({ code: 0 });
  expect(await project.run(['ls', '--all'])).toMatchObject({ code: 0, stdout: '' });
});
