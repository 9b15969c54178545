import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { createShellProject, type Project } from '../helpers/project.ts';

const open = ({ directory: cwd, env }: Project) => library.openSessions({ cwd, env });

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A session of two turns, the first of which has printed several times what is read at once. */
async function talkative() {
  const project = createShellProject();
  const sessions = open(project);
  const { id } = await sessions.start({ task: 'run seq 150000' });
  expect(await sessions.wait(id)).toBe('completed');
  await sessions.inject(id, 'quick');
  await sessions.wait(id);
  const printed = (turn: number): Buffer => fs.readFileSync(project.turnFile(id, turn, 'events.jsonl'));
  return { project, sessions, id, printed };
}

test('the library has these verbs and values, and no others', () => {
  expect(Object.keys(library).sort()).toEqual(['EXIT_CODES', 'ZwarmError', 'openSessions']);
  const verbs = [
    'clean',
    'compact',
    'followSteps',
    'fork',
    'get',
    'history',
    'inject',
    'kill',
    'list',
    'markSeen',
  ];
  const more = ['messages', 'output', 'remove', 'resolve', 'rewind', 'start', 'steps', 'wait'];
  const sessions = library.openSessions();
  expect(Object.keys(sessions).sort()).toEqual([...verbs, ...more]);
  for (const verb of Object.values(sessions)) expect(verb).toBeTypeOf('function');
});

test('the pieces of an output stay what they were when all have come, each in memory of its own', async () => {
  const { sessions, id, printed } = await talkative();
  const pieces = await collected(sessions.output(id, 1));
  expect(pieces.length).toBeGreaterThan(2);
  expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(pieces.length);
  expect(Buffer.concat(pieces).equals(printed(1))).toBe(true);
  // Of that turn alone, not from it on.
  expect(Buffer.concat(await collected(sessions.output(id, 2))).equals(printed(2))).toBe(true);
  for (const turn of [0, 3]) {
    const refused = { code: 'usage', exitCode: 2, message: `${id} has no turn ${turn}` };
    await expect(collected(sessions.output(id, turn))).rejects.toMatchObject(refused);
    await expect(collected(sessions.output(id, turn))).rejects.toBeInstanceOf(library.ZwarmError);
  }
});

test('whoever wants no more of an output leaves no file open', async () => {
  const { project, sessions, id } = await talkative();
  const file = project.turnFile(id, 1, 'events.jsonl');
  const opened = (): number =>
    fs.readdirSync('/proc/self/fd').filter((fd) => {
      const link = `/proc/self/fd/${fd}`;
      return fs.existsSync(link) && fs.readlinkSync(link) === file;
    }).length;
  for await (const piece of sessions.output(id, 1)) {
    expect(piece.length).toBeGreaterThan(0);
    expect(opened()).toBe(1);
    break;
  }
  expect(opened()).toBe(0);
});

test('the output of a running turn is what is there by now, and ends', async () => {
  const project = createShellProject();
  const id = (await project.begin('hang')) as library.SessionId;
  const sessions = open(project);
  const text = Buffer.concat(await collected(sessions.output(id, 1))).toString();
  expect(text).toMatch(/^\{"type":"thread.started",.*\}\n$/);
  await sessions.kill(id);
  expect((await sessions.get(id)).status).toBe('killed');
});

test('the messages of a session are those of its conversation, of one turn, or with what the agent did', async () => {
  const { sessions, id } = await talkative();
  const said = [
    ['user', 'run seq 150000'],
    ['assistant', 'done'],
    ['user', 'quick'],
    ['assistant', 'done'],
  ];
  const told = async (...args: Parameters<typeof sessions.messages>) =>
    (await sessions.messages(...args)).map(({ role, content }) => [role, content]);
  expect(await told(id)).toEqual(said);
  expect(await told(id.slice(0, 3), { turn: 2 })).toEqual(said.slice(2));
  await expect(sessions.messages(id, { turn: 3 })).rejects.toMatchObject({ code: 'usage' });
  await expect(sessions.messages('none')).rejects.toMatchObject({ code: 'not_found', exitCode: 3 });
  await sessions.rewind(id, 1);
  expect(await told(id)).toEqual(said.slice(0, 2));
  const item = { id: 'c', type: 'command_execution', command: 'ls', aggregated_output: 'x', exit_code: 0 };
  const event = { type: 'item.completed', item: { ...item, status: 'completed' } };
  const other = await sessions.start({ task: `run echo '${JSON.stringify(event)}'` });
  await sessions.wait(other.id);
  const roles = async (full: boolean) =>
    (await sessions.messages(other.id, { full })).map(({ role }) => role);
  expect([await roles(false), await roles(true)]).toEqual([
    ['user', 'assistant'],
    ['user', 'tool', 'assistant'],
  ]);
});

test('sessions are opened where they are said to be, and nothing is made before the first start', async () => {
  const project = createShellProject();
  const cwd = relative(process.cwd(), project.directory);
  const sessions = library.openSessions({ cwd, env: project.env, stateDir: '../volume' });
  const volume = join(project.base, 'volume');
  expect(await sessions.list()).toEqual([]);
  expect(fs.existsSync(volume)).toBe(false);
  expect(fs.existsSync(project.state)).toBe(false);
  const { id } = await sessions.start({ task: 'quick' });
  expect(await sessions.wait(id)).toBe('completed');
  expect(fs.readdirSync(volume)).toContain('projects');
  expect(fs.existsSync(project.state)).toBe(false);
  expect((await sessions.get(id)).working_dir).toBe(project.directory);
  // Without its directory of state they are sought where the environment leads.
  expect(await open(project).list({ all: true })).toEqual([]);
});
