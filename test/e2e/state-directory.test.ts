import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IS_ROOT, testAsRoot } from '../helpers/as-root.ts';
import { installForAll } from '../helpers/install.ts';
import { createProject, type Project, runProgram } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const NOBODY = 65534;

const READERS = ['ls', 'show @last'];
const WRITERS = ['start x', 'inject @last x', 'clean --days 0'];

function makeDirectory(path: string, mode: number): void {
  mkdirSync(path);
  // Past the umask.
  chmodSync(path, mode);
}

/** Each way to spoil a state directory, and what is said of it. */
const SPOILED: readonly [name: string, spoil: (path: string) => void, message: RegExp][] = [
  ['a file', (path) => writeFileSync(path, ''), /is not a directory/],
  ['open to all', (path) => makeDirectory(path, 0o777), /can be written by others/],
  ['open to a group', (path) => makeDirectory(path, 0o770), /can be written by others/],
];

test.each(SPOILED)(
  'a state directory that is %s is refused, and left as it is',
  async (_, spoil, message) => {
    const project = createProject();
    // Where others could plant a store, none is needed to refuse.
    const state = join(project.base, 'elsewhere');
    spoil(state);
    const before = snapshot(project.base);
    const refused = await project.$(`--state-dir ${state} start x`);
    expect(refused).toMatch(message);
    expect(refused).toMatch(/\nhint: .*(ZWARM_DIR|chmod 700).*\n\[exit 5\]\n$/);
    expect(snapshot(project.base)).toEqual(before);
  },
);

test('a state directory or a store that others can write is not believed', async () => {
  const project = createProject();
  await project.ended();
  for (const path of [project.store(), project.state]) {
    chmodSync(path, 0o770);
    const before = snapshot(project.base);
    for (const line of [...READERS, ...WRITERS]) {
      const refused = await project.$(line);
      expect.soft(refused).toContain(`${path} can be written by others\nhint: make it yours alone`);
      expect.soft(refused, line).toContain('[exit 5]');
    }
    expect(snapshot(project.base)).toEqual(before);
  }
});

testAsRoot("somebody else's state directory is refused", async () => {
  const project = createProject();
  mkdirSync(project.store(), { recursive: true, mode: 0o700 });
  chownSync(project.state, NOBODY, NOBODY);
  const before = snapshot(project.base);
  const refusal = /belongs to another user \(uid \d+\)\nhint: run zwarm as that user.*\n\[exit 5\]\n$/;
  for (const line of [...READERS, ...WRITERS]) expect.soft(await project.$(line), line).toMatch(refusal);
  expect(snapshot(project.base)).toEqual(before);
});

/** Runs zwarm as a user whom permissions bind: root would pass every one of them. */
function asNobody(project: Project): Project['asProcess'] {
  const message = 'fixtures/streams/codex-0.169/message.jsonl';
  const installed = installForAll(project.base, 'fixtures/fake-agent', message);
  const env = {
    ...project.env,
    ZWARM_CODEX_BIN: join(installed, 'fixtures/fake-agent'),
    FAKE_AGENT_STREAM: join(installed, message),
    FAKE_AGENT_LOG: undefined,
  };
  if (IS_ROOT) {
    for (const path of [project.directory, join(project.base, 'home')]) chownSync(path, NOBODY, NOBODY);
  }
  return (args, options = {}) =>
    runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), ...args], {
      cwd: project.directory,
      ...options,
      env: { ...env, ...options.env },
      ...(IS_ROOT ? { uid: NOBODY } : {}),
    });
}

test('where the state directory may not be made, start says so, and --state-dir leads elsewhere', async () => {
  const project = createProject();
  const zwarm = asNobody(project);
  const home = join(project.base, 'home');
  chmodSync(home, 0o555);
  expect(await zwarm(['ls'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const refused = await zwarm(['start', 'x']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^zwarm: .*permission denied.*\nhint: .*--state-dir DIR\n$/);
  chmodSync(home, 0o755);
  const elsewhere = join(home, 'state');
  expect(await zwarm(['--state-dir', elsewhere, 'start', '--wait', 'x'])).toMatchObject({ code: 0 });
  expect((await zwarm(['ls', '-q'], { env: { ZWARM_DIR: elsewhere } })).stdout).toMatch(/^\w{10}\n$/);
});

test('a read-only state directory can be read, and writing to it says what is wrong', async () => {
  const project = createProject();
  const zwarm = asNobody(project);
  const session = JSON.parse((await zwarm(['start', '--wait', '--json', 'x'])).stdout);
  await project.settled(session.id);
  const all = Object.entries(snapshot(project.state));
  for (const [path, what] of all) chmodSync(path, what.startsWith('directory') ? 0o500 : 0o400);
  const before = snapshot(project.state);
  expect((await zwarm(['ls', '-q'])).stdout).toBe(`${session.id}\n`);
  expect((await zwarm(['show', session.id])).code).toBe(0);
  for (const line of ['start x', `inject ${session.id} x`, `rm ${session.id}`]) {
    const ended = await zwarm(line.split(' '));
    expect.soft(ended, line).toMatchObject({ code: 1, stdout: '' });
    expect.soft(ended.stderr).toMatch(/^zwarm: .*permission denied.*\nhint: check the permissions/);
  }
  expect(snapshot(project.state)).toEqual(before);
});

test('a store of a newer zwarm is shown but not written', async () => {
  const project = createProject();
  const id = await project.ended();
  const format = join(project.store(), 'format');
  expect(readFileSync(format, 'utf8')).toBe('2\n');
  writeFileSync(format, '3\n');
  const before = snapshot(project.base);
  expect(await project.$('ls -q')).toBe(`${id}\n`);
  expect((await project.show(id)).status).toBe('completed');
  for (const line of [...WRITERS, `rm ${id}`, `kill ${id}`]) {
    const refused = await project.$(line);
    expect.soft(refused, line).toMatch(/written by a newer zwarm\nhint: update zwarm.*\n\[exit 5\]\n$/);
  }
  expect(snapshot(project.base)).toEqual(before);
});
