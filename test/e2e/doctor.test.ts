import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IS_ROOT, testAsRoot } from '../helpers/as-root.ts';
import { onScreen } from '../helpers/context.ts';
import { plantDeepTree } from '../helpers/deep.ts';
import { columnsOf, plain } from '../helpers/display.ts';
import { readPage } from '../helpers/document.ts';
import { installForAll } from '../helpers/install.ts';
import { createPatient, type Patient } from '../helpers/patient.ts';
import { runProgram, ZWARM } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const [A, B, C] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as const;
const NOBODY = 65_534;
const OF_STORE = [
  'agent-access',
  'permissions',
  'sessions',
  'session-seals',
  'leftover-files',
  'leftover-processes',
];

test('in a project without sessions all is well, and it is said where they would be kept', async () => {
  const patient = createPatient();
  const before = snapshot(patient.base);
  const { code, ok, checks, named } = await patient.diagnose();
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(named('skipped')).toEqual(OF_STORE);
  expect([...named('warning'), ...named('failed'), ...named('note')]).toEqual([]);
  expect(checks['codex']?.message).toBe(`0.169.0, ${patient.base}/codex`);
  expect(checks['repository']?.message).toBe(patient.directory);
  expect(checks['state-directory']?.message).toBe(`not there yet; the first start creates ${patient.root}`);
  expect(checks['seals']?.message).toContain(patient.seals);
  expect(snapshot(patient.base)).toEqual(before);
});

test('with healthy sessions all is well, and nothing was written', async () => {
  const patient = createPatient();
  patient.session(A);
  patient.session(B);
  const before = snapshot(patient.base);
  const { code, checks, named } = await patient.diagnose();
  expect(code).toBe(0);
  expect(named('warning')).toEqual([]);
  expect(checks['sessions']?.message).toBe('2 sessions');
  expect(checks['state-directory']?.message).toBe(patient.root);
  expect(checks['leftover-files']?.message).toBe('none');
  expect(checks['permissions']?.message).toBe('21 files and directories, all of them yours alone');
  expect(snapshot(patient.base)).toEqual(before);
});

test('the built command says the same on a pipe, with its version, and exits with 0 or 1', async () => {
  const patient = createPatient();
  const { version } = JSON.parse(readPage('package.json'));
  const run = () =>
    runProgram(process.execPath, [ZWARM, 'doctor'], { cwd: patient.directory, env: patient.env });
  const healthy = await run();
  expect(healthy).toMatchObject({ code: 0, stderr: '' });
  expect(healthy.stdout).toMatch(
    new RegExp(`^zwarm ${version}\n\nok {7}node: .*\n[^]*\n\n(all is well|\\d warnings?) \\(6 skipped\\)\n$`),
  );
  patient.codex('exit 1');
  const sick = await run();
  expect(sick).toMatchObject({ code: 1, stderr: '' });
  expect(sick.stdout).toMatch(/\nfailed {3}codex-login: .*\n {9}hint: .*\n/);
});

test('a codex that is missing, not logged in, misconfigured or without a sandbox has failed', async () => {
  const patient = createPatient();
  const env = { ZWARM_CODEX_BIN: undefined, PATH: '/nowhere' };
  const missing = await patient.diagnose({ env });
  expect(missing).toMatchObject({ code: 1, ok: false });
  expect(missing.named('failed')).toEqual(['codex']);
  expect(missing.named('warning')).toEqual(['git']);
  expect(missing.checks['codex']?.hint).toContain('npm install -g @openai/codex');
  patient.codex('echo 0.169.0; echo Not logged in >&2; [ $1 = sandbox ] && echo bwrap: no >&2; exit 1');
  const ill = await patient.diagnose();
  expect(ill.named('failed')).toEqual(['codex-login', 'codex-sandbox']);
  expect((await patient.diagnose({ env: { CODEX_API_KEY: 'sk-1' } })).named('failed')).toEqual([
    'codex-sandbox',
  ]);
  mkdirSync(join(patient.base, 'home', '.codex'));
  writeFileSync(join(patient.base, 'home', '.codex', 'config.toml'), 'model_provider = "local"\n');
  expect((await patient.diagnose()).checks['codex-login']?.status).toBe('note');
  patient.codex('echo "Error loading configuration: /c:1:2: what?" >&2; exit 1');
  const unreadable = await patient.diagnose();
  expect(unreadable.checks['codex-configuration']?.message).toContain('/c:1:2: what?');
  expect(unreadable.checks['codex-login']?.status).toBe('skipped');
});

test('outside of a repository that is a warning', async () => {
  const patient = createPatient();
  rmSync(join(patient.directory, '.git'), { recursive: true });
  const { code, checks } = await patient.diagnose();
  expect(code).toBe(0);
  expect(checks['repository']).toMatchObject({
    status: 'warning',
    hint: expect.stringContaining('git init'),
  });
});

const UNSAFE: readonly [name: string, spoil: (root: string) => void, message: RegExp][] = [
  ['a link', (root) => symlinkSync('.', root), /is a symbolic link/],
  ['a dangling link', (root) => symlinkSync('/nowhere', root), /is a symbolic link/],
  ['a file', (root) => writeFileSync(root, ''), /is no directory/],
  [
    'open to others',
    (root) => {
      mkdirSync(root);
      chmodSync(root, 0o777);
    },
    /others can write/,
  ],
];

test.each(UNSAFE)(
  'a state directory that is %s has failed, and is not looked into',
  async (_, spoil, why) => {
    const patient = createPatient();
    spoil(patient.root);
    const before = snapshot(patient.base);
    const { code, checks, named } = await patient.diagnose();
    expect(code).toBe(1);
    expect(named('failed')).toEqual(['state-directory']);
    expect(checks['state-directory']?.message).toMatch(why);
    expect(checks['state-directory']?.hint).toMatch(/--state-dir|chmod 700/);
    expect(named('skipped')).toEqual(OF_STORE);
    expect(snapshot(patient.base)).toEqual(before);
  },
);

testAsRoot(
  "somebody else's state directory has failed, and files of others in ours are told of",
  async () => {
    const patient = createPatient();
    const session = patient.session(A);
    chownSync(join(session, 'session.json'), NOBODY, NOBODY);
    const inside = await patient.diagnose();
    expect(inside.code).toBe(0);
    expect(inside.checks['permissions']).toMatchObject({
      status: 'warning',
      message: `1 entry of another user, such as ${session}/session.json`,
    });
    chownSync(patient.root, NOBODY, NOBODY);
    const { checks, named } = await patient.diagnose();
    expect(named('failed')).toEqual(['state-directory']);
    expect(checks['state-directory']?.message).toContain('belongs to another user (uid 65534)');
  },
);

test('what others may read or write in the state directory is told of, with the command that closes it', async () => {
  const patient = createPatient();
  const session = patient.session(A);
  chmodSync(patient.root, 0o755);
  chmodSync(join(session, 'session.json'), 0o666);
  const { code, checks } = await patient.diagnose();
  expect(code).toBe(0);
  expect(checks['permissions']).toEqual({
    status: 'warning',
    message: `1 entry that others can read, such as ${patient.root}; 1 entry that others can write, such as ${session}/session.json`,
    hint: `make it yours alone: chmod -R go= ${patient.root}`,
  });
  const [, command = ''] = checks['permissions']?.hint?.split('alone: ') ?? [];
  expect(await runProgram('/bin/sh', ['-c', command], {})).toMatchObject({ code: 0 });
  expect((await patient.diagnose()).checks['permissions']?.status).toBe('ok');
});

test('a tree that is deeper than a path can be does no harm, and does not fill the screen', async () => {
  const patient = createPatient();
  plantDeepTree(patient.session(A));
  const { code, checks } = await patient.diagnose();
  expect(code).toBe(0);
  expect(checks['permissions']?.message).toMatch(/^1 entry closed to you, such as .{199}…$/);
});

test('a state directory of a newer zwarm has failed, and its sessions are still looked at', async () => {
  const patient = createPatient();
  patient.session(A);
  writeFileSync(join(patient.root, 'format'), '2\n');
  const { checks, named } = await patient.diagnose();
  expect(named('failed')).toEqual(['state-directory']);
  expect(checks['state-directory']?.hint).toBe('update zwarm');
  expect(checks['sessions']?.message).toBe('1 session');
});

test('where a start could not create the state directory, that is a warning', async () => {
  const patient = createPatient();
  const nested = await patient.diagnose({}, ['--state-dir', join(patient.base, 'x', 'y')]);
  expect(nested.checks['state-directory']?.message).toContain(`creates ${patient.base}/x/y`);
  expect(nested.checks['free-space']?.message).toContain('MB free');
  // As a user whom permissions bind: root would pass every one of them.
  const installed = installForAll(patient.base);
  for (const path of [patient.base, patient.directory]) chmodSync(path, 0o555);
  const { code, stdout } = await runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), 'doctor'], {
    cwd: patient.directory,
    env: patient.env,
    ...(IS_ROOT ? { uid: NOBODY } : {}),
  });
  for (const path of [patient.base, patient.directory]) chmodSync(path, 0o755);
  expect(code).toBe(0);
  expect(stdout).toContain(
    `\nwarning  state-directory: ${patient.root} is not there yet, and you may not write to ${patient.directory}\n`,
  );
  expect(stdout).toMatch(/\n\d warnings? \(6 skipped\)\n$/);
});

/** Every way to spoil a session, by one file or directory of it. */
const DAMAGE: readonly [name: string, damage: (session: string) => unknown][] = [
  ['cut', (at) => writeFileSync(join(at, 'session.json'), '{"v":1,')],
  ['gone', (at) => rmSync(join(at, 'session.json'))],
  ['linked', (at) => relink(join(at, 'session.json'), '/etc/hostname')],
  ['FIFO', (at) => makeFifo(join(at, 'session.json'))],
  ['session linked', (at) => relink(at, '/etc')],
  ['turns linked', (at) => relink(join(at, 'turns'), '/')],
  ['no turn', (at) => rmSync(join(at, 'turns', '1'), { recursive: true })],
  ['request', (at) => writeFileSync(join(at, 'turns/1/request.json'), '\0')],
  ['request FIFO', (at) => makeFifo(join(at, 'turns/1/request.json'))],
  ['launch', (at) => writeFileSync(join(at, 'turns/1/launch.json'), '{')],
  ['launch FIFO', (at) => makeFifo(join(at, 'turns/1/launch.json'))],
  ['events FIFO', (at) => makeFifo(join(at, 'turns/1/events.jsonl'))],
  ['events a directory', (at) => relink(join(at, 'turns/1/events.jsonl'), '/')],
  ['prompt linked', (at) => relink(join(at, 'turns/1/prompt.md'), '/etc/passwd')],
];

function relink(path: string, target: string): void {
  rmSync(path, { recursive: true });
  symlinkSync(target, path);
}

function makeFifo(path: string): Promise<unknown> {
  rmSync(path, { force: true });
  return runProgram('mkfifo', ['-m', '600', path], {});
}

test('every damaged session is told of with its reason, and no planted link or FIFO is followed', async () => {
  const patient = createPatient();
  patient.session(B);
  for (const [name, damage] of DAMAGE) {
    await damage(patient.session(A));
    const { code, checks, named } = await patient.diagnose();
    expect.soft({ name, code, failed: named('failed') }).toEqual({ name, code: 1, failed: ['sessions'] });
    expect.soft(checks['sessions']?.message, name).toMatch(/^1 of 2 sessions cannot be read: a{10} \(.+\)$/);
    expect.soft(checks['sessions']?.hint, name).toMatch(new RegExp(`zwarm rm ${A}$`));
    // Nothing acts on what was launched: without it a session can still be shown.
    const shown = await onScreen(patient, ['show', A]);
    expect.soft(shown.code === 0, name).toBe(name.startsWith('launch'));
    for (const id of [A, B]) rmSync(join(patient.root, 'sessions', id), { recursive: true });
    rmSync(patient.seals, { recursive: true });
    patient.session(B);
  }
});

test('of many damaged sessions some are named', async () => {
  const patient = createPatient();
  for (const letter of 'abcdefgh') rmSync(join(patient.session(letter.repeat(10)), 'session.json'));
  const { checks } = await patient.diagnose();
  expect(checks['sessions']?.message).toMatch(/^8 of 8 sessions .*: (\w{10} \([^)]*\), ){5}…$/);
  expect(checks['sessions']?.hint?.match(/\b([a-h])\1{9}\b/g)).toHaveLength(5);
});

test('a session whose record was changed, or that has no seal here, cannot be continued', async () => {
  const patient = createPatient();
  patient.session(A);
  patient.session(B);
  const path = join(patient.session(C), 'session.json');
  writeFileSync(
    path,
    `${JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), sandbox: 'danger-full-access' })}\n`,
  );
  const edited = await patient.diagnose();
  expect(edited.code).toBe(0);
  expect(edited.checks['session-seals']).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/^1 session cannot be continued.*: c{10}$/),
  });
  const moved = join(patient.base, 'moved');
  renameSync(patient.root, moved);
  const { checks } = await patient.diagnose({}, ['--state-dir', moved]);
  expect(checks['session-seals']?.message).toContain(`3 sessions cannot be continued`);
});

test('where seals could be forged, or cannot be kept, it is told', async () => {
  const patient = createPatient();
  const before = await patient.diagnose({ env: { HOME: undefined } });
  expect(before.named('failed')).toContain('seals');
  expect(before.checks['seals']?.hint).toContain('set HOME');
  patient.session(A);
  chmodSync(patient.seals, 0o777);
  const open = await patient.diagnose();
  expect(open.checks['seals']).toMatchObject({
    status: 'failed',
    hint: expect.stringContaining('chmod 700'),
  });
  const XDG_STATE_HOME = join(patient.directory, 'state');
  mkdirSync(join(XDG_STATE_HOME, 'zwarm', 'seals'), { recursive: true });
  const inside = await patient.diagnose({ env: { XDG_STATE_HOME } });
  expect(inside.checks['seals']).toMatchObject({
    status: 'warning',
    message: expect.stringContaining(`lies in ${patient.directory}, where an agent`),
  });
});

test('whether agents can write to the state directory is told, by where they work', async () => {
  const patient = createPatient();
  patient.session(A);
  const here = await patient.diagnose();
  expect(here.checks['agent-access']).toMatchObject({
    status: 'note',
    hint: expect.stringContaining('ZWARM_DIR'),
  });
  expect(here.checks['agent-access']?.message).toContain(`lies in ${patient.directory};`);
  const place = join(patient.base, 'place');
  mkdirSync(place);
  const env = { ZWARM_DIR: join(place, 'store') };
  renameSync(patient.root, env.ZWARM_DIR);
  expect((await patient.diagnose({ env })).checks['agent-access']?.status).toBe('ok');
  for (const [id, working_dir] of [
    [B, patient.base],
    [C, place],
  ] as const) {
    const session = patient.session(id, { working_dir, sandbox: 'workspace-write' });
    renameSync(session, join(env.ZWARM_DIR, 'sessions', id));
  }
  // The nearest of them.
  expect((await patient.diagnose({ env })).checks['agent-access']?.message).toContain(`lies in ${place};`);
  for (const id of [B, C]) {
    const path = join(env.ZWARM_DIR, 'sessions', id, 'session.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('workspace-write', 'read-only'));
  }
  expect((await patient.diagnose({ env })).checks['agent-access']?.status).toBe('ok');
});

test('what killed commands have left is told of once it is old', async () => {
  const patient = createPatient();
  const session = patient.session(A);
  mkdirSync(join(patient.root, 'sessions', `.new-${C}`), { mode: 0o700 });
  writeFileSync(join(session, 'turns', '1', '.new-cancel'), '{', { mode: 0o600 });
  mkdirSync(join(patient.root, 'trash', `${C}.x`), { recursive: true, mode: 0o700 });
  patient.session(B);
  rmSync(join(patient.root, 'sessions', B), { recursive: true });
  expect((await patient.diagnose()).checks['leftover-files']?.message).toBe('none');
  const { code, checks } = await patient.diagnose({ now: Date.now() + 2 * 3_600_000 });
  expect(code).toBe(0);
  const [seals = ''] = readdirSync(patient.seals);
  expect(checks['leftover-files']).toMatchObject({
    status: 'warning',
    message: `2 things half built, such as ${patient.root}/sessions/.new-${C}; 1 session half deleted, such as ${patient.root}/trash/${C}.x; 1 seal of a session that is gone, such as ${patient.seals}/${seals}/${B}`,
  });
});

test.each([40, 80, 200])('on a terminal of %i columns the page fits, but for paths', async (columns) => {
  const patient = createPatient();
  rmSync(join(patient.session(A), 'session.json'));
  patient.codex('echo Not logged in >&2; exit 1');
  const { code, stdout } = await patient.screen({ tty: true, columns });
  expect(code).toBe(1);
  const lines = plain(stdout).split('\n');
  for (const line of lines) {
    if (!/^\S* *\S+$/.test(line)) expect.soft(columnsOf(line), line).toBeLessThanOrEqual(columns);
  }
  expect(lines[0]).toMatch(/^zwarm /);
  expect(lines.at(-2)).toMatch(/^3 failed, \d warnings?$/);
});

test('nothing that Codex or a planted name says can drive a terminal', async () => {
  const patient: Patient = createPatient();
  const nasty = '\u001b]0;owned\u0007\u001b[2J\u009b\u202eevil';
  writeFileSync(join(patient.session(A), nasty), '', { mode: 0o666 });
  chmodSync(join(patient.root, 'sessions', A, nasty), 0o666);
  patient.codex(`printf 'Error loading configuration: ${nasty}\\n' >&2; exit 1`);
  for (const tty of [true, false]) {
    const { stdout } = await patient.screen({ tty, env: { NO_COLOR: '1' } });
    expect(stdout).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(stdout).toContain('\\x1b]0;owned\\x07');
  }
  const { stdout } = await onScreen(patient, ['doctor', '--json'], { tty: true });
  expect(stdout).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  expect((await patient.diagnose()).checks['codex-configuration']?.message).toContain(nasty);
});
