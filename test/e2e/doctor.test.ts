import { chmodSync, chownSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Check } from '../../src/core/check.ts';
import { IS_ROOT, testAsRoot } from '../helpers/as-root.ts';
import { readPage } from '../helpers/document.ts';
import { installForAll } from '../helpers/ordinary-project.ts';
import { createPatient } from '../helpers/patient.ts';
import { createShellProject, eventually, processesBelow, runProgram, ZWARM } from '../helpers/project.ts';
import { storeOf } from '../helpers/store.ts';
import { snapshot } from '../helpers/tree.ts';

const [A, B, C] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as const;
const NOBODY = 65_534;
const OF_STORE = ['sessions', 'leftover-files', 'leftover-processes'];

test('a healthy project is well, without sessions and with them, and nothing is written', async () => {
  const patient = createPatient();
  const before = snapshot(patient.base);
  const { code, ok, checks, named } = await patient.diagnose();
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(named('skipped')).toEqual(OF_STORE);
  expect([...named('warning'), ...named('failed'), ...named('note')]).toEqual([]);
  expect(checks['codex']?.message).toBe(`0.169.0, ${patient.base}/codex`);
  expect(checks['repository']?.message).toBe(patient.directory);
  expect(checks['state-directory']?.message).toBe(`no sessions yet; the first start creates ${patient.root}`);
  expect(snapshot(patient.base)).toEqual(before);

  patient.session(A);
  patient.session(B);
  const filled = snapshot(patient.base);
  const found = await patient.diagnose();
  expect([found.code, ...found.named('warning')]).toEqual([0]);
  expect(found.checks).toMatchObject({
    sessions: { message: '2 sessions' },
    'state-directory': { message: patient.root },
    'leftover-files': { message: 'none' },
  });
  expect(snapshot(patient.base)).toEqual(filled);
});

test('a git that is too old to merge is one to be updated', async () => {
  const patient = createPatient();
  const old = join(patient.base, 'old');
  mkdirSync(old);
  writeFileSync(join(old, 'git'), '#!/bin/sh\necho git version 2.37.7\n', { mode: 0o755 });
  patient.env['PATH'] = `${old}:${patient.env['PATH']}`;
  const { checks } = await patient.diagnose();
  expect(checks['git']).toMatchObject({
    status: 'warning',
    message: `2.37.7 (${old}/git) is too old for some commands`,
    hint: 'update git: undo and land merge with 2.38 or newer',
  });
});

test('the built command says the same on a pipe, with its version, and exits with 0 or 1', async () => {
  const patient = createPatient();
  const { version } = JSON.parse(readPage('package.json'));
  const run = () =>
    runProgram(process.execPath, [ZWARM, 'doctor'], { cwd: patient.directory, env: patient.env });
  const { code, stdout: well } = await run();
  expect(code).toBe(0);
  expect(well.slice(0, well.indexOf('node:'))).toBe(`zwarm ${version}\n\nok       `);
  expect(well).toMatch(/\n\n(all is well|\d warnings?) \(\d+ skipped\)\n$/);
  patient.codex('exit 1');
  const stdout = expect.stringMatching(/\nfailed {3}codex-login: .*\n {9}hint: .*\n/);
  expect(await run()).toMatchObject({ code: 1, stdout, stderr: '' });
});

test('a codex that is missing, not logged in, misconfigured or without a sandbox has failed', async () => {
  const patient = createPatient();
  const missing = await patient.diagnose({ env: { ZWARM_CODEX_BIN: undefined, PATH: '/nowhere' } });
  expect(missing).toMatchObject({ code: 1, ok: false });
  expect([missing.named('failed'), missing.named('warning')]).toEqual([['codex'], ['git']]);
  patient.codex('echo 0.169.0; echo Not logged in >&2; [ $1 = sandbox ] && echo bwrap: no >&2; exit 1');
  expect((await patient.diagnose()).named('failed')).toEqual(['codex-login', 'codex-sandbox']);
  const keyed = await patient.diagnose({ env: { CODEX_API_KEY: 'sk-1' } });
  expect(keyed.named('failed')).toEqual(['codex-sandbox']);
  mkdirSync(join(patient.base, 'home', '.codex'));
  writeFileSync(join(patient.base, 'home', '.codex', 'config.toml'), 'model_provider = "local"\n');
  expect((await patient.diagnose()).checks['codex-login']?.status).toBe('note');
  patient.codex('echo "Error loading configuration: /c:1:2: what?" >&2; exit 1');
  rmSync(join(patient.directory, '.git'), { recursive: true });
  expect((await patient.diagnose()).checks).toMatchObject({
    'codex-configuration': { message: expect.stringContaining('/c:1:2: what?') },
    'codex-login': { status: 'skipped' },
    repository: { status: 'warning', hint: expect.stringContaining('git init') },
  });
});

test('a state directory that is open to others has failed, and is not looked into', async () => {
  const patient = createPatient();
  mkdirSync(patient.root, { recursive: true });
  chmodSync(patient.state, 0o777);
  const before = snapshot(patient.base);
  const { code, checks, named } = await patient.diagnose();
  expect(code).toBe(1);
  expect(named('failed')).toContain('state-directory');
  expect(checks['state-directory']?.message).toMatch(/can be written by others/);
  expect(checks['state-directory']?.hint).toMatch(/ZWARM_DIR|chmod 700/);
  expect(named('skipped')).toEqual(['projects', ...OF_STORE]);
  expect(snapshot(patient.base)).toEqual(before);
});

testAsRoot("somebody else's state directory has failed", async () => {
  const patient = createPatient();
  patient.session(A);
  for (const path of [patient.root, patient.state]) {
    chownSync(path, NOBODY, NOBODY);
    const { checks, named } = await patient.diagnose();
    expect(named('failed')).toEqual(['state-directory']);
    expect(checks['state-directory']?.message).toMatch(`${path} belongs to `);
  }
});

test('a state directory of a newer zwarm has failed, and its sessions are still looked at', async () => {
  const patient = createPatient();
  patient.session(A);
  writeFileSync(join(patient.root, 'format'), '3\n');
  const { checks, named } = await patient.diagnose();
  expect(named('failed')).toEqual(['state-directory']);
  expect(checks['state-directory']?.hint).toBe('update zwarm');
  expect(checks['sessions']?.message).toBe('1 session');
});

test('where a start could not create the state directory, that is a warning', async () => {
  const patient = createPatient();
  const nested = await patient.diagnose({}, ['--state-dir', join(patient.base, 'x', 'y')]);
  expect(nested.checks['state-directory']?.message).toContain(`creates ${patient.base}/x/y`);
  expect(nested.checks['free-space']?.message).toMatch(/^\d[\d.]* [MGT]B free$/);
  // As a user whom permissions bind: root would pass every one of them.
  const installed = installForAll(patient.base);
  const home = join(patient.base, 'home');
  for (const path of [patient.base, home]) {
    if (IS_ROOT) chownSync(path, NOBODY, NOBODY);
    chmodSync(path, 0o555);
  }
  const place = { cwd: patient.directory, env: patient.env, ...(IS_ROOT ? { uid: NOBODY } : {}) };
  const doctor = [join(installed, 'bin/zwarm.js'), 'doctor'];
  const { code, stdout } = await runProgram(process.execPath, doctor, place);
  for (const path of [patient.base, home]) chmodSync(path, 0o755);
  expect(code).toBe(0);
  expect(stdout).toContain(
    `\nwarning  state-directory: the first start would create ${patient.root}, and you may not write to ${home}\n`,
  );
  expect(stdout).toMatch(/\n\d warnings? \(\d+ skipped\)\n$/);
});

test('of many damaged sessions some are named', async () => {
  const patient = createPatient();
  for (const letter of 'abcdefgh') rmSync(join(patient.session(letter.repeat(10)), 'session.json'));
  const { checks } = await patient.diagnose();
  expect(checks['sessions']?.message).toMatch(/^8 of 8 sessions .*: (\w{10} \([^)]*\), ){5}…$/);
  expect(checks['sessions']?.hint?.match(/\b([a-h])\1{9}\b/g)).toHaveLength(5);
});

test('what is kept of projects that are gone is counted, and some are named', async () => {
  const patient = createPatient();
  const projects = ['one', 'three', 'two', 'zero'].map((name) => join(patient.base, name));
  const found = async () => (await patient.diagnose()).checks['projects'];
  for (const [i, path] of projects.entries()) {
    mkdirSync(path);
    const { root } = storeOf(patient.state, path);
    writeFileSync(join(root, 'sessions', 'filler'), Buffer.alloc(1_100_000));
    if (i === 0)
      expect(await found()).toMatchObject({
        status: 'ok',
        message: 'every project with sessions is where it was',
      });
    rmdirSync(path);
    const named = projects.slice(0, Math.min(3, i + 1)).join(', ') + (i > 2 ? ', …' : '');
    const message = `projects that are gone have left ${(1.1 * (i + 1)).toFixed(1)} MB of records: ${named}`;
    const hint =
      'if they were moved, in the new place: zwarm relocate; to delete these records: zwarm clean --gone';
    expect(await found()).toEqual({ status: 'note', message, hint });
  }
});

test('what killed commands have left is told of once it is old', async () => {
  const patient = createPatient();
  const session = patient.session(A);
  mkdirSync(join(patient.root, 'sessions', `.new-${C}`), { mode: 0o700 });
  writeFileSync(join(session, 'turns', '1', '.new-cancel'), '{', { mode: 0o600 });
  mkdirSync(join(patient.root, 'trash', `${C}.x`), { recursive: true, mode: 0o700 });
  expect((await patient.diagnose()).checks['leftover-files']?.message).toBe('none');
  const { code, checks } = await patient.diagnose({ now: Date.now() + 2 * 3_600_000 });
  expect(code).toBe(0);
  expect(checks['leftover-files']).toMatchObject({
    status: 'warning',
    message: `2 things half built, such as ${patient.root}/sessions/.new-${C}; 1 session half deleted, such as ${patient.root}/trash/${C}.x`,
  });
});

const onLinux = test.runIf(process.platform === 'linux');

onLinux('what an agent leaves running is reported with its session and without it', async () => {
  const project = createShellProject();
  onTestFinished(() => {
    for (const left of processesBelow(project.base)) process.kill(left, 'SIGKILL');
  });
  const leave =
    'sleep 1000 < /dev/null > /dev/null 2>&1 & echo $! > left; until [ -e go ]; do sleep 0.02; done';
  const id = await project.begin(`run ${leave}`);
  const pid = Number(await project.written('left'));
  const leftovers = async (now = Date.now()): Promise<Check | undefined> => {
    const { stdout } = await project.zwarm(['doctor', '--json'], { now });
    return JSON.parse(stdout).checks.find(({ name }: Check) => name === 'leftover-processes');
  };
  const later = Date.now() + 3_600_000;
  expect(await leftovers(later)).toMatchObject({ status: 'ok' });
  writeFileSync(join(project.directory, 'go'), '');
  await project.settled(id);
  const hint = expect.stringMatching(new RegExp(`kill ${pid}$`));
  expect(await leftovers(later)).toMatchObject({ status: 'warning', hint });
  await project.ok(['rm', id]);
  expect(await leftovers()).toMatchObject({ status: 'warning', hint });
  process.kill(pid, 'SIGKILL');
  await eventually('it is gone', async () => (await leftovers())?.status === 'ok');
});
