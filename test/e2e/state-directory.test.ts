import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';
import { createProject, eventually, type Project, processesBelow } from '../helpers/project.ts';
import { notPrivate, snapshot } from '../helpers/tree.ts';

const READERS = ['ls', 'show @last'];
const WRITERS = ['start x', 'inject @last x', 'clean --days 0'];

/** Each of these lines is refused, and changes nothing. */
async function expectRefused({ base, $ }: Project, lines: readonly string[], why: RegExp): Promise<void> {
  const before = snapshot(base);
  for (const line of lines) expect.soft(await $(line), line).toMatch(why);
  expect(snapshot(base)).toEqual(before);
}

test('a state directory that is a file or open to all is refused, and left as it is', async () => {
  const project = createProject();
  const { base } = project;
  fs.writeFileSync(join(base, 'file'), '');
  fs.mkdirSync(join(base, 'open'));
  fs.chmodSync(join(base, 'open'), 0o777);
  const hint = '\\nhint: .*(ZWARM_DIR|chmod 700).*\\n\\[exit 5\\]\\n$';
  // Where others could plant a store, none is needed to refuse.
  for (const [name, why] of Object.entries({ file: 'is not a directory', open: 'can be written by others' }))
    await expectRefused(project, [`--state-dir ${join(base, name)} start x`], new RegExp(`${why}${hint}`));
});

test('a state directory or a store that others can write is not believed', async () => {
  const project = createProject();
  await project.ended();
  for (const path of [project.store(), project.state]) {
    fs.chmodSync(path, 0o770);
    const refusal = `${path} can be written by others\nhint: make it yours alone[^]*\\[exit 5\\]`;
    await expectRefused(project, [...READERS, ...WRITERS], new RegExp(refusal));
  }
});

testAsRoot("somebody else's state directory is refused", async () => {
  const project = createProject();
  fs.mkdirSync(project.store(), { recursive: true, mode: 0o700 });
  fs.chownSync(project.state, 4321, 4321);
  const refusal = /belongs to .* \(uid 4321\)\nhint: run zwarm as that user.*\n\[exit 5\]\n$/;
  await expectRefused(project, [...READERS, ...WRITERS], refusal);
});

test('where the state directory may not be made, start says so, and --state-dir leads elsewhere', async () => {
  const { ordinary: zwarm, base } = createOrdinaryProject();
  const home = join(base, 'home');
  fs.chmodSync(home, 0o555);
  expect(await zwarm(['ls'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const refused = await zwarm(['start', 'x']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^zwarm: .*permission denied.*\nhint: .*--state-dir DIR\n$/);
  fs.chmodSync(home, 0o755);
  const elsewhere = join(home, 'state');
  expect(await zwarm(['--state-dir', elsewhere, 'start', '--wait', 'x'])).toMatchObject({ code: 0 });
  expect((await zwarm(['ls', '-q'], undefined, { ZWARM_DIR: elsewhere })).stdout).toMatch(/^\w{10}\n$/);
});

test('a read-only state directory can be read, and writing to it says what is wrong', async () => {
  const { ordinary: zwarm, state, settled } = createOrdinaryProject();
  const session = JSON.parse((await zwarm(['start', '--wait', '--json', 'x'])).stdout);
  await settled(session.id);
  const all = Object.entries(snapshot(state));
  for (const [path, what] of all) fs.chmodSync(path, what.startsWith('directory') ? 0o500 : 0o400);
  const before = snapshot(state);
  expect((await zwarm(['ls', '-q'])).stdout).toBe(`${session.id}\n`);
  expect((await zwarm(['show', session.id])).code).toBe(0);
  for (const line of ['start x', `inject ${session.id} x`, `rm ${session.id}`]) {
    const ended = await zwarm(line.split(' '));
    expect.soft(ended, line).toMatchObject({ code: 1, stdout: '' });
    expect.soft(ended.stderr).toMatch(/^zwarm: .*permission denied.*\nhint: check the permissions/);
  }
  expect(snapshot(state)).toEqual(before);
});

test('a store of a newer zwarm is shown but not written', async () => {
  const project = createProject();
  const id = await project.ended();
  const format = join(project.store(), 'format');
  expect(fs.readFileSync(format, 'utf8')).toBe('2\n');
  fs.writeFileSync(format, '3\n');
  expect(await project.$('ls -q')).toBe(`${id}\n`);
  expect((await project.show(id)).status).toBe('completed');
  const refusal = /written by a newer zwarm\nhint: update zwarm.*\n\[exit 5\]\n$/;
  await expectRefused(project, [...WRITERS, `rm ${id}`, `kill ${id}`], refusal);
});

function ordinaryProject({ onTestFinished }: TestContext) {
  const project = createOrdinaryProject(onTestFinished);
  const ok = async (umask: string, ...args: readonly string[]): Promise<string> => {
    const ended = await project.ordinary(args, umask);
    expect(ended, args.join(' ')).toMatchObject({ code: 0 });
    return ended.stdout.trim();
  };
  return { ...project, ok };
}

// Concurrent: the demo takes its time.
test.concurrent.for(['0777', '0000'])('under umask %s all works and is private', async (umask, t) => {
  const project = ordinaryProject(t);
  const { ok } = project;
  const id = await ok(umask, 'start', 'run : > made');
  await ok(umask, 'wait', id);
  // The agent has the umask of its caller.
  expect(fs.lstatSync(join(project.directory, 'made')).mode & 0o777).toBe(0o666 & ~Number.parseInt(umask, 8));
  expect(await ok(umask, 'show', id)).toContain('done');
  expect(await ok(umask, 'inject', id, '--wait', 'quick')).toBe('done');
  const hanging = await ok(umask, 'start', 'hang');
  expect(await ok(umask, 'kill', hanging, '--grace', '20s')).toBe(`${hanging} killed`);
  await ok(umask, 'fork', id, 'quick', '--wait');
  await ok(umask, 'config', 'set', 'sandbox', 'read-only');
  await eventually('all is settled', () => processesBelow(project.base).length === 0);
  expect((await ok('0022', 'ls', '-q')).split('\n')).toHaveLength(3);
  const home = join(project.base, 'home');
  const modes = [project.store(), home].flatMap(notPrivate).filter((path) => !path.startsWith(`${home} `));
  expect(modes).toEqual([]);
  expect(fs.readdirSync(home)).toEqual(['.config', '.local']);
  // Every kind of file was there to be looked at.
  const names = fs.readdirSync(project.store(), { recursive: true, encoding: 'utf8' }).join('\n');
  for (const name of ['summary.json', 'cancel.json', 'exit.json', 'runner.stat', 'notified.json'])
    expect(names).toContain(name);

  await ok('0022', 'inject', id, '--wait', 'quick');
  await ok(umask, 'rm', id);
  expect((await ok(umask, 'clean', '--days', '0')).split('\n')).toHaveLength(2);
});

test.concurrent('the demo works under umask 0177', async (t) => {
  expect(await ordinaryProject(t).ok('0177', 'demo')).toContain('completed');
});
