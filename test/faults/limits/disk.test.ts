import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, type TestFunction } from 'vitest';
import { capability, testAsRoot } from '../../helpers/as-root.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import {
  createProject,
  type Ended,
  eventually,
  type Project,
  processesWith,
  SHELL_AGENT,
} from '../../helpers/project.ts';
import { snapshot } from '../../helpers/tree.ts';

/** A test that mounts something. */
function testWithMount(name: string, body: TestFunction): void {
  testAsRoot(name, body, capability('SYS_ADMIN'));
}

type Disk = ReturnType<typeof mountDisk>;

const PAGE = Buffer.alloc(1 << 12);

/** Does something until the disk is full. */
function untilFull(act: (i: number) => void): void {
  try {
    for (let i = 0; ; i += 1) act(i);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function mount(args: readonly string[], path: string): void {
  execFileSync('mount', [...args, path], { stdio: 'pipe' });
}

function unmount(path: string): void {
  try {
    execFileSync('umount', [path], { stdio: 'pipe' });
  } catch {
    // Something of a failed test still has a file open there: it goes as soon as that is closed.
    execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });
  }
  fs.rmdirSync(path);
}

function mountPoint(): string {
  return fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'zwarm-disk-')));
}

/**
 * Mounts a file system in memory of `size` (as in `2m`) and as many inodes. It is unmounted when the test ends; a
 * project on it has to be created after it, since what was registered last is done first.
 */
function mountDisk(size: string, inodes = 10_000) {
  const path = mountPoint();
  mount(['-t', 'tmpfs', '-o', `size=${size},nr_inodes=${inodes},mode=0755`, 'zwarm-test'], path);
  onTestFinished(() => unmount(path));
  const filler = join(path, 'filler');
  fs.mkdirSync(filler);
  return {
    path,
    /** Takes all the room that is left, to the last byte; names can still be made. */
    fill: () => untilFull(() => fs.appendFileSync(join(filler, 'bytes'), PAGE)),
    /** Takes all the inodes that are left: not even an empty file can be made. */
    fillInodes: () => untilFull((i) => fs.closeSync(fs.openSync(join(filler, String(i)), 'w'))),
    /** Gives back what was taken. */
    free() {
      fs.rmSync(filler, { recursive: true });
      fs.mkdirSync(filler);
    },
    setReadOnly: (readOnly: boolean) => mount(['-o', `remount,${readOnly ? 'ro' : 'rw'}`], path),
  };
}

/** Another way to a directory on which nothing can be written, while others write there; gone when the test ends. */
function mountReadOnly(directory: string): string {
  const path = mountPoint();
  mount(['--bind', directory], path);
  onTestFinished(() => unmount(path));
  mount(['-o', 'remount,bind,ro'], path);
  return path;
}

/** A project on a small disk of its own, with its home; and a gate outside of it, at which agents wait. */
function createSmall(inodes?: number): { disk: Disk; project: Project; gate: string; open(): void } {
  const gate = join(emptyDirectory(), 'gate');
  const disk = mountDisk('3m', inodes);
  const project = createProject('project', undefined, disk.path);
  Object.assign(project.env, { ZWARM_CODEX_BIN: SHELL_AGENT, FAKE_AGENT_LOG: undefined });
  return { disk, project, gate, open: () => fs.writeFileSync(gate, '') };
}

/** The names in the directory of a turn. */
const namesOf = (project: Project, id: string): string[] => fs.readdirSync(project.turnFile(id, 1, '.'));

async function running(project: Project, id: string): Promise<void> {
  await eventually('the agent runs', () => fs.statSync(project.turnFile(id, 1, 'events.jsonl')).size > 0);
}

/** Waits until a session has ended and nobody writes into it any more. */
async function ended(project: Project, id: string): Promise<void> {
  await project.ok(['wait', id]);
  await eventually('it is settled', () => processesWith(`ZWARM_SESSION_ID=${id}`).length === 0);
}

/** Checks that a command was refused for want of room, and says what to do. */
function expectNoRoom({ code, stdout, stderr }: Ended): void {
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^zwarm: .*no space left on device.*\nhint: the disk is full: free some space.*\n$/);
}

testWithMount(
  'what a full disk has no room for is refused, changes nothing and is never cut, and readers read',
  async () => {
    const { disk, project } = createSmall();
    disk.fill();
    expectNoRoom(await project.zwarm(['start', 'quick']));
    const made = Object.values(snapshot(project.directory)).filter((what) => !what.startsWith('directory'));
    expect(made).toEqual([]);
    disk.free();
    const id = await project.start(['quick']);
    await ended(project, id);
    const before = await project.ok(['show', id, '--json']);
    disk.fill();
    const files = snapshot(project.base);
    expectNoRoom(await project.zwarm(['start', 'quick']));
    expectNoRoom(await project.zwarm(['inject', id, 'quick']));
    const { error } = JSON.parse((await project.zwarm(['start', '--json', 'quick'])).stderr);
    expect(error).toMatchObject({ code: 'io', hint: expect.stringMatching(/^the disk is full/) });
    expect(await project.ok(['show', id, '--json'])).toBe(before);
    expect(await project.ok(['ls', '-q'])).toBe(id);
    expect(await project.ok(['wait', id])).toBe(`${id} completed`);
    expect(snapshot(project.base)).toEqual(files);
    disk.free();
    // Of so much a disk takes the beginning, without an error.
    expectNoRoom(await project.zwarm(['inject', id, '-'], { input: 'x'.repeat(4 << 20) }));
    expect((await project.show(id)).turns).toHaveLength(1);
    await project.ok(['inject', id, '--wait', 'quick']);
    await project.ok(['start', '--wait', 'quick']);
  },
);

testWithMount(
  'a full disk lets rm and clean make room, and an agent be killed; it stays known that somebody asked for it',
  async () => {
    const { disk, project } = createSmall();
    const [first, second] = [await project.start(['quick']), await project.start(['quick'])];
    const id = await project.start(['hang']);
    for (const quick of [first, second]) await ended(project, quick);
    await running(project, id);
    disk.fill();
    expect(await project.ok(['rm', first])).toBe(first);
    disk.fill();
    expect(await project.ok(['clean', '--days', '0'])).toBe(second);
    expect(await project.ok(['ls', '-q'])).toBe(id);
    const root = project.store();
    expect(fs.readdirSync(join(root, 'sessions'))).toEqual([id]);
    expect(fs.readdirSync(join(root, 'trash'))).toEqual([]);
    expect((await project.show(id)).status).toBe('running');
    disk.fill();
    expect(await project.ok(['kill', id, '--grace', '20s'])).toBe(`${id} killed`);
    await eventually('nothing is left', () => processesWith(`ZWARM_SESSION_ID=${id}`).length === 0);
    // The names say it: there was no room for a byte.
    expect(namesOf(project, id)).toEqual(expect.arrayContaining(['cancel.kill', 'exit.130']));
    expect(fs.existsSync(project.turnFile(id, 1, 'cancel.json'))).toBe(false);
    const killed = await project.show(id);
    expect(killed).toMatchObject({ status: 'killed', exit_code: null, signal: 'SIGINT', error: null });
    expect((await project.zwarm(['kill', id])).code).toBe(4);
    disk.free();
    expect(await project.show(id)).toEqual({ ...killed, needs_attention: false });
    await project.ok(['inject', id, '--wait', 'quick']);
  },
);

testWithMount(
  'the exit code of an agent survives a full disk, also of one whose output did not fit',
  async () => {
    const { disk, project, gate, open } = createSmall();
    const said =
      '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}';
    const turn = (end: string) => `run echo '${said}'; until [ -e '${gate}' ]; do sleep 0.01; done; ${end}`;
    const ends = ['exit 0', 'exit 42', "printf '%09000d' 0"];
    const ids: string[] = [];
    for (const end of ends) ids.push(await project.start([turn(end)]));
    for (const id of ids) await running(project, id);
    disk.fill();
    open();
    const [well = '', ill = '', cut = ''] = ids;
    expect(await project.ok(['wait', well])).toBe(`${well} completed`);
    for (const id of [ill, cut])
      expect(await project.zwarm(['wait', id])).toMatchObject({ code: 1, stdout: `${id} failed\n` });
    expect(namesOf(project, cut)).toContain('exit.1');
    expect(await project.ok(['show', cut])).toMatch(/! there was no room to record its end/);
    disk.free();
    expect(await Promise.all(ids.map((id) => project.show(id)))).toMatchObject([
      { status: 'completed', exit_code: 0, error: null },
      { status: 'failed', exit_code: 42 },
      { status: 'failed', exit_code: 1, error: { code: 'exit_code' } },
    ]);
  },
);

testWithMount('without inodes an end is told by the agent itself, and no code is invented', async () => {
  const { disk, project, gate, open } = createSmall(300);
  const completes = await project.start([`gate ${gate}`]);
  const breaks = await project.start([`run until [ -e '${gate}' ]; do sleep 0.01; done; exit 3`]);
  const hangs = await project.start(['hang']);
  for (const id of [completes, breaks, hangs]) await running(project, id);
  disk.fillInodes();
  expectNoRoom(await project.zwarm(['start', 'quick']));
  // An agent that has used up all names is ended all the same, though nothing can tell who asked for it.
  const killed = await project.zwarm(['kill', hangs, '--grace', '20s']);
  expect(killed).toMatchObject({ code: 1, stdout: '' });
  expect(killed.stderr).toMatch(
    /^zwarm: the processes of \w+ were ended, but the request to stop it could not be recorded: no space left/,
  );
  expect(processesWith(`ZWARM_SESSION_ID=${hangs}`)).toEqual([]);
  expect((await project.show(hangs)).status).toBe('lost');
  open();
  expect(await project.ok(['wait', completes])).toBe(`${completes} completed`);
  expect((await project.zwarm(['wait', breaks])).stdout).toBe(`${breaks} lost\n`);
  const unknown = { exit_code: null, signal: null, ended_at: null, duration_ms: null };
  const completed = { status: 'completed', last_message: 'done', ...unknown };
  expect(await project.show(completes)).toMatchObject(completed);
  expect(await project.show(breaks)).toMatchObject({ status: 'lost', last_message: null, ...unknown });
  disk.free();
  expect(await project.show(breaks)).toMatchObject({ status: 'lost', ...unknown });
  await project.ok(['inject', breaks, '--wait', 'quick']);
});

const READ_ONLY = /^zwarm: .*read-only file system.*\nhint: the file system is read-only.*\n$/;

testWithMount(
  'on a read-only disk everything can be read, and what would change something says why not',
  async () => {
    const { disk, project } = createSmall();
    const id = await project.start(['quick']);
    await ended(project, id);
    const read = ['ls', 'show @last --time', `show ${id} --json`, `wait ${id}`, 'clean --dry-run --days 0'];
    const before = await Promise.all(read.map((words) => project.ok(words.split(' '))));
    disk.setReadOnly(true);
    try {
      expect(await Promise.all(read.map((words) => project.ok(words.split(' '))))).toEqual(before);
      for (const words of ['start quick', `inject ${id} quick`, `rm ${id}`, 'clean --days 0']) {
        const { code, stdout, stderr } = await project.zwarm(words.split(' '));
        expect.soft({ code, stdout }, words).toEqual({ code: 1, stdout: '' });
        expect.soft(stderr, words).toMatch(READ_ONLY);
      }
      expect(await project.ok(['ls', '-q'])).toBe(id);
    } finally {
      disk.setReadOnly(false);
    }
    await project.ok(['inject', id, '--wait', 'quick']);
  },
);

testWithMount('who may only read sees the truth about an agent, and ends nothing', async () => {
  const project = createProject();
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  const id = await project.start(['hang']);
  await running(project, id);
  const view = ['--state-dir', mountReadOnly(project.state)];
  expect(JSON.parse(await project.ok([...view, 'ls', '--json']))).toMatchObject([{ id, status: 'running' }]);
  const { code, stderr } = await project.zwarm([...view, 'kill', id]);
  expect({ code }, stderr).toEqual({ code: 1 });
  expect(stderr).toMatch(READ_ONLY);
  expect((await project.show(id)).status).toBe('running');
});
