import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../../helpers/config.ts';
import { createShellProject, eventually, type Project, processesWith } from '../../helpers/project.ts';

const [A, B, C, D] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc', 'dddddddddd'] as const;

/** A project in which so many turns may run at once. */
function createCapped(max: number): Project {
  const project = createShellProject();
  place(join(project.base, 'home/.config/zwarm/config.toml'), `max_running = ${max}\n`);
  return project;
}

const gate = (project: Project, name: string): string => `gate ${join(project.directory, name)}`;
const open = (project: Project, name: string): void => writeFileSync(join(project.directory, name), '');
const now = (id: string) => ({ newId: id, now: Date.parse('2030-01-01T00:00:00Z') });

async function become(project: Project, id: string, status: string): Promise<void> {
  await eventually(`${id} is ${status}`, async () => (await project.show(id)).status === status);
}

test('no more run than may; the others wait in their order, and the end of a turn starts the next', async () => {
  const project = createCapped(1);
  const { $, ok } = project;
  await ok(['start', '-q', '--queue', gate(project, 'a')], now(A));
  expect(await $('start x')).toMatchInlineSnapshot(`
    "zwarm: a turn runs in this project, and no more may (max_running)
    hint: let it wait for its turn: --queue; a tool takes queue=true
    [exit 4]
    "
  `);
  expect(await $('start --queue second', { ...now(B), tty: true })).toMatchInlineSnapshot(`
    "bbbbbbbbbb
    codex waits: it waits for the turn that runs; see: zwarm queue
    "
  `);
  await ok(['start', '-q', '--queue', 'third'], now(C));
  expect(await $('queue')).toMatchInlineSnapshot(`
    "bbbbbbbbbb	1	slot	2030-01-01T00:00:00.000Z	second
    cccccccccc	1	slot	2030-01-01T00:00:00.000Z	third
    "
  `);
  expect(
    await $('queue', { tty: true, columns: 80, now: Date.parse('2030-01-01T00:01:00Z') }),
  ).toMatchInlineSnapshot(`
    "[2mID[22m          [2mTURN[22m  [2mSINCE[22m  [2mWHY[22m                              [2mMESSAGE[22m
    bbbbbbbbbb     1     1m  it waits for the turn that runs  second
    cccccccccc     1     1m  it waits for the turn that runs  third
    "
  `);
  expect((await project.show(B)).pending).toEqual({
    reason: 'slot',
    detail: 'it waits for the turn that runs',
    not_before: null,
  });
  open(project, 'a');
  await ok(['wait', '-q', A, B, C]);
  for (const id of [A, B, C]) await project.settled(id);
  expect(project.runs().length).toBe(3);
  expect(await $('queue')).toBe('');
});

test('what is queued runs as it was queued: with that environment, which nothing else holds', async () => {
  const project = createCapped(1);
  const { ok, turnFile } = project;
  await ok(['start', '-q', gate(project, 'a')], now(A));
  await ok(['start', '-q', '--queue', 'run echo "$WHICH" > which'], {
    ...now(B),
    env: { WHICH: 'the first' },
  });
  const environment = turnFile(B, 1, 'environment');
  expect(statSync(environment).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(environment, 'utf8')).env).toMatchObject({ WHICH: 'the first' });
  open(project, 'a');
  await ok(['wait', '-q', B], { env: { WHICH: 'another' } });
  expect(await project.written('which')).toBe('the first');
  await project.settled(B);
  expect(existsSync(environment)).toBe(false);
});

test('--after waits for sessions to complete; what fails leaves those behind it waiting, with the reason', async () => {
  const project = createShellProject();
  const { $, ok } = project;
  await ok(['start', '-q', gate(project, 'a')], now(A));
  await ok(['start', '-q', '--after', A, 'second'], now(B));
  await ok(['start', '-q', '--after', A, '--after', B, 'break'], now(C));
  await ok(['start', '-q', '--after', C, 'never'], now(D));
  await ok(['start', '-q', '--after', C, '--even-if-failed', 'run touch on'], now('eeeeeeeeee'));
  expect(await $('queue')).toMatchInlineSnapshot(`
    "bbbbbbbbbb	1	after	2030-01-01T00:00:00.000Z	second
    cccccccccc	1	after	2030-01-01T00:00:00.000Z	break
    dddddddddd	1	after	2030-01-01T00:00:00.000Z	never
    eeeeeeeeee	1	after	2030-01-01T00:00:00.000Z	run touch on
    "
  `);
  open(project, 'a');
  // The end of each turn starts what waited for it.
  for (const id of [A, B, C]) await project.settled(id);
  await eventually('the last has run', () => existsSync(join(project.directory, 'on')));
  expect(await $('queue')).toMatchInlineSnapshot(`
    "dddddddddd	1	failed_dependency	2030-01-01T00:00:00.000Z	never
    "
  `);
  expect((await project.show(D)).pending).toMatchObject({
    detail: `${C}, which it waits for, is failed`,
  });
  await ok(['start', '-q', '--after', D, 'x'], now('ffffffffff'));
  expect(await $(`wait ${D} ffffffffff`)).toMatchInlineSnapshot(`
    "zwarm: dddddddddd does not begin: cccccccccc, which it waits for, is failed
    hint: mend that with zwarm inject, or take this back: zwarm queue rm dddddddddd
    zwarm: ffffffffff does not begin: dddddddddd, which it waits for, does not begin
    hint: mend that with zwarm inject, or take this back: zwarm queue rm ffffffffff
    [exit 1]
    "
  `);
  expect(await $('queue rm ffffffffff')).toBe('ffffffffff turn 1 withdrawn\n');
  expect(await $('start --after zzz x')).toMatchInlineSnapshot(`
    "zwarm: no session zzz
    hint: see: zwarm ls --all
    [exit 3]
    "
  `);
  expect(await $('start --even-if-failed x')).toMatchInlineSnapshot(`
    "zwarm: --even-if-failed needs --after
    hint: name the sessions to wait for: --after ID
    [exit 2]
    "
  `);
  expect(await $(`queue rm ${D}`)).toMatchInlineSnapshot(`
    "dddddddddd turn 1 withdrawn
    "
  `);
  expect(await $(`queue rm ${D}`)).toMatchInlineSnapshot(`
    "zwarm: no message of dddddddddd waits
    hint: what waits: zwarm queue
    [exit 4]
    "
  `);
  expect((await project.show(D)).status).toBe('killed');
});

test('a message waits for the turn that runs, goes on in its conversation, and can be taken back', async () => {
  const project = createShellProject();
  const { $, ok, turnFile } = project;
  await ok(['start', '-q', gate(project, 'a')], now(A));
  expect(await $(`inject ${A} more`)).toMatchInlineSnapshot(`
    "zwarm: aaaaaaaaaa is still running
    hint: wait for it first: zwarm wait aaaaaaaaaa; or queue the message: zwarm inject aaaaaaaaaa --queue "…"; or stop it: zwarm inject aaaaaaaaaa --interrupt "…"
    [exit 4]
    "
  `);
  expect(await $(`inject ${A} --queue --interrupt more`)).toMatchInlineSnapshot(`
    "zwarm: option '--queue' cannot be used with option '--interrupt'
    hint: see zwarm inject --help
    [exit 2]
    "
  `);
  expect(await $(`inject ${A} --queue second`, { tty: true })).toMatchInlineSnapshot(`
    "aaaaaaaaaa
    turn 2 waits: turn 1 of its session comes first; see: zwarm queue
    "
  `);
  await ok(['inject', A, '--queue', 'secret']);
  await ok(['inject', A, '--queue', 'third']);
  expect(await project.show(A)).toMatchObject({ status: 'running', queued: 3 });
  expect(await $(`queue rm ${A} --turn 3`)).toBe(`${A} turn 3 withdrawn\n`);
  expect(existsSync(turnFile(A, 3, 'environment'))).toBe(false);
  open(project, 'a');
  await ok(['wait', '-q', A]);
  for (const turn of [1, 2]) await project.settled(A, turn);
  await ok(['wait', '-q', A]);
  const { status, queued, turns, messages } = await project.show(A);
  expect([status, queued, turns.map(({ status }) => status)]).toEqual([
    'completed',
    0,
    ['completed', 'completed', 'killed', 'completed'],
  ]);
  expect(messages.map(({ content }) => content)).not.toContain('secret');
});

test('kill takes back what waits behind the turn that it ends', async () => {
  const project = createShellProject();
  const { $, ok, turnFile } = project;
  await ok(['start', '-q', 'hang'], now(A));
  await ok(['inject', A, '--queue', 'x']);
  await ok(['start', '-q', '--after', A, 'x'], now(B));
  expect(await $(`kill ${A}`)).toBe(`${A} killed\n`);
  expect(await $(`kill ${B}`)).toBe(`${B} killed\n`);
  expect([A, B].map((id) => existsSync(turnFile(id, id === A ? 2 : 1, 'environment')))).toEqual([
    false,
    false,
  ]);
  expect((await project.show(A)).turns.map(({ status }) => status)).toEqual(['killed', 'killed']);
  expect(await $('queue')).toBe('');
  expect(project.runs()).toHaveLength(1);
});

test('a message that stops the running turn comes into its place', async () => {
  const project = createCapped(1);
  const { ok } = project;
  await ok(['start', '-q', 'hang'], now(A));
  await ok(['inject', A, '-q', '--interrupt', 'x']);
  await become(project, A, 'completed');
});

test('what has failed is mended by its next message, and what waits for it begins', async () => {
  const project = createShellProject();
  const { ok } = project;
  const id = await ok(['start', '-q', '--wait', 'break']).catch(() => ok(['ls', '-q']));
  await ok(['start', '-q', '--after', id, 'x'], now(B));
  expect((await project.show(B)).pending?.reason).toBe('failed_dependency');
  await ok(['inject', id, '--wait', 'quick']);
  await ok(['wait', B]);
});

/** As after a restart of the machine: nothing runs, and what was recorded is of another boot. */
async function restart(project: Project): Promise<void> {
  await eventually('nothing runs', () => {
    const pids = processesWith(`HOME=${project.base}/home`).filter((pid) => pid !== process.pid);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    return pids.length === 0;
  });
  for (const file of readdirSync(project.state, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (!file.isFile()) continue;
    const text = readFileSync(path, 'utf8');
    const other = text.replaceAll(/("boot_id":")[^"]*"/g, '$1of-another-start"');
    if (other !== text) writeFileSync(path, other);
  }
}

test('after a restart nothing pretends to go on, and one command lets it', async () => {
  const project = createCapped(1);
  const { $, ok } = project;
  await ok(['start', '-q', 'hang'], now(A));
  await ok(['start', '-q', '--queue', gate(project, 'b')], now(B));
  await ok(['start', '-q', '--queue', 'y'], now(C));
  await restart(project);
  const nothing = 'nothing will start it by itself: zwarm queue run';
  const shown = (await project.list()).map(({ id, status, pending }) => [id, status, pending?.detail]);
  expect(shown.sort()).toEqual([
    [A, 'lost', undefined],
    [B, 'pending', nothing],
    [C, 'pending', nothing],
  ]);
  expect(await $('ls', { tty: true, columns: 120 })).toContain(nothing.slice(0, 16));
  expect(await $('queue run')).toBe(`${B} turn 1 started\n`);
  open(project, 'b');
  await ok(['wait', '-q', B, C]);
  expect(project.runs()).toHaveLength(3);
});

const LIMIT =
  'run printf \'{"type":"turn.failed","error":{"message":"You have hit your usage limit."}}\\n\'; exit 1';

test('a failure of the whole account holds what waits for it, until somebody says that it is mended', async () => {
  const project = createCapped(1);
  const { $, ok } = project;
  await ok(['start', '-q', LIMIT], now(A));
  await project.settled(A);
  await ok(['start', '-q', '--queue', 'x'], now(B));
  const elsewhere = { CODEX_HOME: join(project.base, 'another-account') };
  await ok(['start', '-q', '--queue', 'x'], { ...now(C), env: elsewhere });
  await ok(['wait', '-q', C]);
  expect(await $('queue')).toMatch(new RegExp(`^${B}\t1\thold\t.*\n$`));
  expect((await project.show(B)).pending).toMatchInlineSnapshot(`
    {
      "detail": "codex: You have hit your usage limit.; when that is mended: zwarm queue run",
      "not_before": null,
      "reason": "hold",
    }
  `);
  expect(await $('queue run')).toBe(`${B} turn 1 started\n`);
  await ok(['wait', '-q', B]);
});

test('what completes after that shows that the account works again', async () => {
  const project = createShellProject();
  const { ok } = project;
  await ok(['start', '-q', LIMIT], now(A));
  await project.settled(A);
  await ok(['start', '-q', '--queue', 'x'], now(B));
  expect((await project.show(B)).pending?.reason).toBe('hold');
  await project.ended(['x']);
  await ok(['wait', '-q', B]);
});

test('who waits for what is held learns until when: on the terminal, and when the time is up', async () => {
  const project = createShellProject();
  const { $, ok } = project;
  await ok(['start', '-q', LIMIT], now(A));
  await project.settled(A);
  await ok(['start', '-q', '--queue', 'x'], now(B));
  await ok(['start', '-q', 'hang'], now(C));
  const why = 'codex: You have hit your usage limit.; when that is mended: zwarm queue run';
  expect(await $(`wait ${B} ${C} --timeout 0.1`)).toBe(
    `zwarm: ${B} waits: ${why}\nzwarm: ${C} still runs\n[exit 124]\n`,
  );
  expect(await $(`wait ${B} --timeout 2s`, { tty: true, columns: 160 })).toContain(
    `pending\u001b[22m\u001b[2m  ${why}`,
  );
  expect(await $(`inject ${B} --queue --wait --timeout 0.1 y`)).toContain(`zwarm: ${B} waits: `);
});
