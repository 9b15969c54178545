import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { openLibrary } from '../helpers/library.ts';
import { createShellProject } from '../helpers/project.ts';

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A session of two turns, the first of which has printed several times what is read at once. */
async function talkative() {
  const project = createShellProject();
  const sessions = openLibrary(project);
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
    ...[
      'agents',
      'clean',
      'compact',
      'diff',
      'diffBetween',
      'digest',
      'events',
      'followSteps',
      'fork',
      'get',
    ],
    ...['getOrStart', 'history', 'importThread', 'importable', 'inject', 'kill', 'list', 'markSeen'],
    ...[
      'messages',
      'output',
      'remove',
      'resolve',
      'rewind',
      'search',
      'start',
      'steps',
      'undo',
      'usage',
      'wait',
    ],
  ];
  const sessions = library.openSessions();
  expect(Object.keys(sessions).sort()).toEqual(verbs);
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
  const sessions = openLibrary(project);
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
  const sessions = openLibrary({ directory: cwd, env: project.env }, { stateDir: '../volume' });
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
  expect(await openLibrary(project).list({ all: true })).toEqual([]);
});

test('a program is a caller of its own, and may do what the user may', async () => {
  const project = createShellProject();
  const [ci, user] = [openLibrary(project, { client: 'ci' }), openLibrary(project)];
  const { id } = await ci.start({ task: 'true', sandbox: 'danger-full-access' });
  const other = await user.resolve(await project.ended());
  await ci.wait(id);
  await project.settled(id);
  expect(await ci.get(id)).toMatchObject({ source: 'lib:ci', turns: [{ by: 'lib:ci' }] });
  expect(await project.$('ls -q --source lib')).toBe(`${id}\n`);
  expect(await project.$('ls -q --source lib:night,mcp')).toBe('');
  expect(await project.$('ls --source lib', { tty: true })).toMatch(/FROM[\s\S]*lib:ci/);
  const attention = async (sessions: typeof ci) =>
    Object.fromEntries((await sessions.list()).map(({ id, needs_attention }) => [id, needs_attention]));
  expect(await attention(ci)).toEqual({ [id]: true, [other]: false });
  expect(await attention(user)).toEqual({ [id]: true, [other]: false });
  await ci.markSeen(id, 1);
  expect(await attention(ci)).toEqual({ [id]: false, [other]: false });
  expect(await attention(user)).toEqual({ [id]: true, [other]: false });
  await ci.inject(other, 'true');
  await ci.wait(other);
  expect((await user.get(other)).turns.map(({ by }) => by)).toEqual(['user', 'lib:ci']);
  // An agent is one, whatever program it is.
  const agent = openLibrary(project, { client: 'ci', env: { ...project.env, ZWARM_SESSION_ID: id } });
  await expect(agent.inject(other, 'x')).rejects.toMatchObject({ code: 'not_allowed' });
  for (const client of ['', 'CI', 'mcp:x', 'a/b'])
    expect(() => openLibrary(project, { client })).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('of several that ask for the session of a name at once, one starts it, and all get the same', async () => {
  const project = createShellProject();
  const asked = await Promise.all(
    ['a', 'b', 'c', 'd'].map((client) =>
      openLibrary(project, { client }).getOrStart('nightly', { task: 'true' }),
    ),
  );
  expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
  expect(asked.filter(({ started }) => started)).toHaveLength(1);
  const sessions = openLibrary(project);
  const [row, ...more] = await sessions.list();
  expect({ row, more }).toMatchObject({ row: { id: asked[0]?.id, name: 'nightly' }, more: [] });
  await expect(sessions.getOrStart('No Name', { task: 'x' })).rejects.toMatchObject({ code: 'usage' });
  await expect(sessions.getOrStart('other', { task: '' })).rejects.toMatchObject({ code: 'usage' });
});

test('what a program writes on a session is told with it', async () => {
  const project = createShellProject();
  const sessions = openLibrary(project);
  const metadata = { issue: '18', url: 'https://example.org/ü', empty: '' };
  const { id } = await sessions.start({ task: 'true', tags: ['ci'], metadata });
  await sessions.wait(id);
  await project.settled(id);
  expect(await sessions.get(id)).toMatchObject({ tags: ['ci'], metadata });
  expect((await project.list())[0]).toMatchObject({ metadata });
  const fork = await sessions.fork(id);
  expect(await sessions.get(fork.id)).toMatchObject({ metadata });
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, '']));
  const wrong: object[] = [{ A: 'x' }, { 'a b': 'x' }, { a: 'x'.repeat(201) }, { a: 1 }, many];
  for (const given of wrong) {
    const options = { task: 'x', metadata: given as Record<string, string> };
    await expect(sessions.start(options)).rejects.toMatchObject({ code: 'usage' });
  }
});

test('a program reads what happened, and a digest of it', async () => {
  const project = createShellProject();
  const sessions = openLibrary(project, { client: 'ci' });
  const { id } = await sessions.start({ task: 'true' });
  await sessions.wait(id);
  await project.settled(id);
  const told = async (sinceMs?: number) => {
    const keys: string[] = [];
    for await (const { events, refused } of sessions.events({ sinceMs })) {
      expect(refused).toEqual([]);
      keys.push(...events.map(({ key }) => key));
    }
    return keys;
  };
  expect(await told()).toEqual([`${id}.1.started`, `${id}.1.completed`]);
  const hour = 3_600_000;
  expect(await told(Date.now() + hour)).toEqual([]);
  const found = await sessions.digest({ sinceMs: Date.now() - hour });
  expect(found).toMatchObject({
    done: [{ id, source: 'lib:ci' }],
    failed: [],
    total: { turns: 1 },
    refused: [],
  });
  expect((await sessions.digest({ sinceMs: Date.now() + hour })).done).toEqual([]);
});

test('every error is a ZwarmError, whenever it comes', async () => {
  const project = createShellProject();
  const file = join(project.base, 'file');
  fs.writeFileSync(file, '');
  fs.chmodSync(file, 0o600);
  const nowhere = openLibrary(project, { stateDir: join(file, 'state') });
  const id = 'abcdefghjk' as library.SessionId;
  const read = async (pieces: AsyncIterable<unknown>) => {
    for await (const _ of pieces);
  };
  const errors = await Promise.all(
    [
      nowhere.start({ task: 'x' }),
      nowhere.get(id),
      read(nowhere.output(id, 1)),
      read(nowhere.followSteps(id)),
      // As a program in JavaScript may call it.
      nowhere.start(undefined as never),
      nowhere.resolve(id),
    ].map((one) => one.then(() => null).catch((error: unknown) => error)),
  );
  expect(errors.map((error) => error instanceof library.ZwarmError && error.code)).toMatchInlineSnapshot(`
    [
      "io",
      "not_found",
      "not_found",
      "not_found",
      "io",
      "not_found",
    ]
  `);
});
