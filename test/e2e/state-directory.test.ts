import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { installForAll } from '../helpers/install.ts';
import { createProject, type Project, runProgram } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const ROOT = process.getuid?.() === 0;
const NOBODY = 65534;

const READERS = [['ls'], ['show', '@last']];
const WRITERS = [
  ['start', 'x'],
  ['inject', '@last', 'x'],
  ['clean', '--days', '0'],
];

const stateOf = (project: Project): string => project.store();

function makeDirectory(path: string, mode: number): void {
  mkdirSync(path);
  // Past the umask.
  chmodSync(path, mode);
}

/** Each way to spoil a state directory, and what is said of it. */
const SPOILED: readonly [name: string, spoil: (path: string) => void, message: RegExp][] = [
  ['a file', (path) => writeFileSync(path, ''), /is no directory/],
  ['a link', (path) => symlinkSync('.', path), /is a symbolic link/],
  ['a dangling link', (path) => symlinkSync('/nowhere', path), /is a symbolic link/],
  ['open to all', (path) => makeDirectory(path, 0o777), /others can write/],
  ['open to a group', (path) => makeDirectory(path, 0o770), /others can write/],
];

test.each(SPOILED)(
  'a state directory that is %s is refused, and left as it is',
  async (_, spoil, message) => {
    const project = createProject();
    spoil(stateOf(project));
    const before = snapshot(project.base);
    for (const argv of [...READERS, ...WRITERS]) {
      const ended = await onScreen(project, argv);
      expect.soft(ended, argv.join(' ')).toMatchObject({ code: 5, stdout: '' });
      expect.soft(ended.stderr).toMatch(message);
      expect.soft(ended.stderr).toMatch(/\nhint: .*(--state-dir|chmod 700)/);
    }
    expect(snapshot(project.base)).toEqual(before);
  },
);

test("somebody else's state directory is refused", async () => {
  const project = createProject();
  if (ROOT) {
    mkdirSync(stateOf(project), { mode: 0o700 });
    chownSync(stateOf(project), NOBODY, NOBODY);
  }
  const state = ROOT ? [] : ['--state-dir', '/usr'];
  const before = snapshot(project.base);
  for (const argv of [...READERS, ...WRITERS]) {
    const ended = await project.zwarm([...state, ...argv]);
    expect.soft(ended, argv.join(' ')).toMatchObject({ code: 5, stdout: '' });
    expect.soft(ended.stderr).toMatch(/belongs to another user \(uid \d+\)\nhint: run zwarm as that user/);
  }
  expect(snapshot(project.base)).toEqual(before);
});

/** Runs zwarm as a user whom permissions bind: root would pass every one of them. */
function asNobody(project: Project): Project['zwarm'] {
  const message = 'fixtures/streams/codex-0.169/message.jsonl';
  const installed = installForAll(project.base, 'fixtures/fake-agent', message);
  const env = {
    ...project.env,
    ZWARM_CODEX_BIN: join(installed, 'fixtures/fake-agent'),
    FAKE_AGENT_STREAM: join(installed, message),
    FAKE_AGENT_LOG: undefined,
  };
  if (ROOT) {
    for (const path of [project.directory, join(project.base, 'home')]) chownSync(path, NOBODY, NOBODY);
  }
  return (args, options = {}) =>
    runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), ...args], {
      cwd: project.directory,
      ...options,
      env: { ...env, ...options.env },
      ...(ROOT ? { uid: NOBODY } : {}),
    });
}

test('in a directory that may not be written, start says so, and --state-dir leads elsewhere', async () => {
  const project = createProject();
  const zwarm = asNobody(project);
  chmodSync(project.directory, 0o555);
  expect(await zwarm(['ls'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const refused = await zwarm(['start', 'x']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^zwarm: .*permission denied.*\nhint: .*--state-dir DIR\n$/);
  expect(existsSync(stateOf(project))).toBe(false);
  const elsewhere = join(project.base, 'home', 'state');
  expect(await zwarm(['--state-dir', elsewhere, 'start', '--wait', 'x'])).toMatchObject({ code: 0 });
  expect((await zwarm(['ls', '-q'], { env: { ZWARM_DIR: elsewhere } })).stdout).toMatch(/^\w{10}\n$/);
});

test('a read-only state directory can be read, and writing to it says what is wrong', async () => {
  const project = createProject();
  const zwarm = asNobody(project);
  const session = JSON.parse((await zwarm(['start', '--wait', '--json', 'x'])).stdout);
  await project.settled(session.id);
  const all = Object.entries(snapshot(stateOf(project)));
  for (const [path, what] of all) chmodSync(path, what.startsWith('directory') ? 0o500 : 0o400);
  const before = snapshot(stateOf(project));
  expect((await zwarm(['ls', '-q'])).stdout).toBe(`${session.id}\n`);
  expect((await zwarm(['show', session.id])).code).toBe(0);
  for (const argv of [
    ['start', 'x'],
    ['inject', session.id, 'x'],
    ['rm', session.id],
  ]) {
    const ended = await zwarm(argv);
    expect.soft(ended, argv.join(' ')).toMatchObject({ code: 1, stdout: '' });
    expect.soft(ended.stderr).toMatch(/^zwarm: .*permission denied.*\nhint: check the permissions/);
  }
  expect(snapshot(stateOf(project))).toEqual(before);
});

test('a state directory of a newer zwarm is shown but not written', async () => {
  const project = createProject();
  const id = await project.start(['--wait', '--json', 'x']);
  const session = JSON.parse(id);
  await project.settled(session.id);
  const format = join(stateOf(project), 'format');
  expect(readFileSync(format, 'utf8')).toBe('1\n');
  writeFileSync(format, '2\n');
  const before = snapshot(project.base);
  expect(await project.ok(['ls', '-q'])).toBe(session.id);
  expect((await project.show(session.id)).status).toBe('completed');
  for (const argv of [...WRITERS, ['rm', session.id], ['kill', session.id]]) {
    const ended = await project.zwarm(argv);
    expect.soft(ended, argv.join(' ')).toMatchObject({ code: 5, stdout: '' });
    expect.soft(ended.stderr).toMatch(/written by a newer zwarm\nhint: update zwarm\n/);
  }
  expect(snapshot(project.base)).toEqual(before);
});

test('a state directory that is moved away is found again by --state-dir, but not continued', async () => {
  const project = createProject();
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', 'x']));
  await project.settled(id);
  const moved = join(project.base, 'moved');
  renameSync(stateOf(project), moved);
  expect(await project.ok(['--state-dir', moved, 'ls', '-q'])).toBe(id);
  const ended = await project.zwarm(['--state-dir', moved, 'inject', id, 'x']);
  expect(ended).toMatchObject({ code: 5, stdout: '' });
  expect(project.runs()).toHaveLength(1);
});

test('a directory that holds something else does not become a state directory', async () => {
  const project = createProject();
  writeFileSync(join(project.directory, 'main.c'), '');
  const before = snapshot(project.base);
  const start = ['start', 'x'];
  expect(await onScreen(project, ['--state-dir', '', ...start])).toMatchObject({ code: 2 });
  expect(await onScreen(project, ['--state-dir', '.', ...start])).toMatchObject({ code: 5 });
  expect(await onScreen(project, start, { env: { ZWARM_DIR: '.' } })).toMatchObject({ code: 5 });
  expect(snapshot(project.base)).toEqual(before);
});
