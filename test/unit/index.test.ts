import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSessions, type SessionId, ZwarmError } from '../../src/index.ts';
import { createShellProject, type Project } from '../helpers/project.ts';

const open = ({ directory, env }: Project, more: Parameters<typeof openSessions>[0] = {}) =>
  openSessions({ cwd: directory, env, ...more });

test('a program is a caller of its own, and may do what the user may', async () => {
  const project = createShellProject();
  const [ci, user] = [open(project, { client: 'ci' }), open(project)];
  const { id } = await ci.start({ task: 'true', sandbox: 'danger-full-access' });
  const other = user.resolve(await project.ended());
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
  const agent = open(project, { client: 'ci', env: { ...project.env, ZWARM_SESSION_ID: id } });
  await expect(agent.inject(other, 'x')).rejects.toMatchObject({ code: 'not_allowed' });
  for (const client of ['', 'CI', 'mcp:x', 'a/b'])
    expect(() => open(project, { client })).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('of several that ask for the session of a name at once, one starts it, and all get the same', async () => {
  const project = createShellProject();
  const asked = await Promise.all(
    ['a', 'b', 'c', 'd'].map((client) => open(project, { client }).getOrStart('nightly', { task: 'true' })),
  );
  expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
  expect(asked.filter(({ started }) => started)).toHaveLength(1);
  const sessions = open(project);
  const [row, ...more] = await sessions.list();
  expect({ row, more }).toMatchObject({ row: { id: asked[0]?.id, name: 'nightly' }, more: [] });
  await expect(sessions.getOrStart('No Name', { task: 'x' })).rejects.toMatchObject({ code: 'usage' });
  await expect(sessions.getOrStart('other', { task: '' })).rejects.toMatchObject({ code: 'usage' });
});

test('what a program writes on a session is told with it', async () => {
  const project = createShellProject();
  const sessions = open(project);
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
  const sessions = open(project, { client: 'ci' });
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
  writeFileSync(file, '');
  chmodSync(file, 0o600);
  const nowhere = open(project, { stateDir: join(file, 'state') });
  const id = 'abcdefghjk' as SessionId;
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
      (async () => nowhere.resolve(id))(),
    ].map((one) => one.then(() => null).catch((error: unknown) => error)),
  );
  expect(errors.map((error) => error instanceof ZwarmError && error.code)).toMatchInlineSnapshot(`
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
