import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SANDBOXES } from '../../../../src/core/session.ts';
import { installation } from '../../../../src/installation.ts';
import type { StartOptions } from '../../../../src/manager/launch/new-record.ts';
import type { SessionManager } from '../../../../src/manager/session-manager.ts';
import { place } from '../../../helpers/config.ts';
import { createShellProject, withoutConfiner } from '../../../helpers/project.ts';
import { createRepository } from '../../../helpers/repository.ts';
import { managerOf } from '../../../helpers/tools-in-process.ts';
import { snapshot } from '../../../helpers/tree.ts';

/** A project with a directory beside it whose name begins like the project's, and those who ask for sessions in it. */
function createParty() {
  const project = createShellProject();
  const { base, directory, env } = project;
  const evil = `${directory}-evil`;
  mkdirSync(join(evil, 'below'), { recursive: true });
  const client = managerOf(project, 'test');
  const user = managerOf(project, null);
  return {
    project,
    directory,
    evil,
    user,
    client,
    /** The agent of a session, which can go anywhere before it asks. */
    agentOf: (id: string, cwd = directory) =>
      managerOf(project, null, { project: user.project(), cwd, env: { ...env, ZWARM_SESSION_ID: id } }),
    configure: (toml: string) => place(join(base, 'home/.config/zwarm/config.toml'), toml),
    async ended(manager: SessionManager, options: Partial<StartOptions> = {}) {
      const { id } = await manager.start({ task: 'quick', ...options });
      await manager.wait(id);
      return id;
    },
  };
}

const quoted = (path: string): string => JSON.stringify([path]);

/** Why somebody may not do something, as one text; null where it succeeds. */
const refusal = (asked: Promise<unknown>): Promise<string | null> =>
  asked.then(
    () => null,
    ({ code, message, hint }) => `${code}: ${message}; ${hint}`,
  );
const NOT_OWN = expect.stringContaining('was not started by you');

test('a client starts sessions within the allowed directories alone, and is not told what is elsewhere', async () => {
  const { client, directory, evil } = createParty();
  const start = (workingDir: string) => refusal(client.checkStart({ workingDir }));
  mkdirSync(join(directory, 'sub/.GIT'), { recursive: true });
  symlinkSync(evil, join(directory, 'link'));
  symlinkSync('sub', join(directory, 'inside'));
  writeFileSync(join(evil, 'file'), '');
  const outside = `not_allowed: that directory is not allowed; allowed: ${directory} and below`;
  for (const path of ['..', '../home', 'link', 'link/below', 'link/file', evil, '/', '../nothing'])
    expect(await start(path), path).toBe(outside);
  for (const path of ['.', 'sub', 'inside']) expect(await start(path), path).toBeNull();
  expect(await start('nothing')).toContain('there is no directory');
  expect(await start('sub/.GIT')).toContain('other programs run what lies in it');
});

test('what a client may start follows the configuration', async () => {
  const { client, user, directory, evil, configure, ended } = createParty();
  mkdirSync(join(directory, 'inner'));
  const full = 'danger-full-access';
  const [only, any] = [`allowed_dirs = ${quoted(evil)}`, 'allowed_dirs = ["*"]'];
  const check = async (toml: string, asked: Omit<StartOptions, 'task'>, refused: RegExp | null) => {
    configure(`${toml}\n`);
    expect(await refusal(client.checkStart(asked))).toEqual(refused && expect.stringMatching(refused));
    expect(await refusal(user.checkStart(asked))).toBeNull();
  };
  await check(only, {}, /; allowed: .*-evil and below$/);
  await check(only, { workingDir: evil }, null);
  await check('allowed_dirs = []', {}, /; none is allowed here; the user can name some/);
  await check(any, { workingDir: evil }, null);
  await check('', { sandbox: full }, /danger-full-access.*the widest that is allowed: workspace-write$/);
  await check('sandbox = "read-only"', { sandbox: 'workspace-write' }, /widest that is allowed: read-only$/);
  expect(await client.summary(await ended(client))).toMatchObject({ sandbox: 'read-only' });
  await check(`sandbox = "${full}"`, { sandbox: full }, null);
  await check('', { agentArgs: ['-c', 'x=1'] }, /arguments for the agent’s own program/);
  writeFileSync(join(directory, 'zwarm.toml'), 'allowed_dirs = ["inner"]\n');
  await check('', { workingDir: 'inner' }, /only a part of an allowed directory.*inner and below/);
  await check('', {}, /; allowed: .*project and below; and of these only .*inner and below$/);
  await check(any, {}, /; allowed: .*inner and below$/);
});

test('whoever is not the user passes the agent no argument, not even a single one, at no verb', async () => {
  const { client, user, project, agentOf, ended } = createParty();
  const agentArgs = ['--oss'];
  const asks = ['-i', '/nowhere/at/all.png'];
  const refused = expect.stringMatching(/^not_allowed: arguments for the agent’s own program/);
  const lead = await ended(user);
  const typed = await ended(user, { agentArgs });
  const [mine, child] = [await ended(client), await ended(agentOf(lead))];
  // As if they had come by an argument all the same.
  for (const id of [mine, child]) {
    const file = join(project.store(), 'sessions', id, 'session.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), agent_args: agentArgs }));
  }
  const before = snapshot(project.store());
  for (const [caller, own] of [
    [client, mine],
    [agentOf(lead), child],
  ] as const) {
    expect(await refusal(caller.checkStart({ agentArgs }))).toEqual(refused);
    // Nor does it learn what is there.
    expect(await refusal(caller.checkStart({ agentArgs: asks }))).toEqual(refused);
    expect(await refusal(caller.start({ task: 'quick', agentArgs }))).toEqual(refused);
    for (const ask of [
      () => caller.checkInject(own),
      () => caller.inject(own, 'quick'),
      () => caller.compact(own),
      () => caller.fork(own),
      () => caller.fork(typed, { message: 'quick' }),
    ])
      expect(await refusal(ask()), String(ask)).toEqual(refused);
    expect(await refusal(caller.checkStart({ agentArgs: [] }))).toBeNull();
  }
  const env = { ZWARM_SESSION_ID: lead };
  expect(await project.$('start --agent-arg=--oss x', { env })).toMatch(
    /^zwarm: arguments for .*\[exit 5\]$/ms,
  );
  expect(snapshot(project.store())).toEqual(before);
  for (const id of [typed, mine]) expect(await refusal(user.checkInject(id))).toBeNull();
});

test('a sandbox as wide as is allowed is no wider', async () => {
  const { client, configure } = createParty();
  for (const [most, widest] of SANDBOXES.entries()) {
    configure(`sandbox = "${widest}"\n`);
    for (const [at, sandbox] of SANDBOXES.entries()) {
      const asked = await refusal(client.checkStart({ sandbox }));
      if (at <= most) expect(asked).toBeNull();
      else
        expect(asked).toContain(
          `the sandbox ${sandbox} is not allowed; the widest that is allowed: ${widest}`,
        );
    }
  }
});

test('an agent that nothing confines is for the user alone, unless the user says otherwise', async () => {
  const { client, user, project, configure, ended } = createParty();
  project.env['ZWARM_CLAUDE_BIN'] = project.env['ZWARM_CODEX_BIN'];
  withoutConfiner(project);
  const nobody = /^not_allowed: nothing here keeps claude within a sandbox.*zwarm config set unconfined true/;
  const asked = { agent: 'claude' };
  expect(await refusal(client.checkStart(asked))).toMatch(nobody);
  expect(await refusal(client.checkStart({ ...asked, sandbox: 'read-only' }))).toMatch(nobody);
  expect(await refusal(user.checkStart(asked))).toBeNull();
  const mine = await ended(client);
  expect(await refusal(client.checkInject(mine, asked))).toMatch(nobody);
  configure('unconfined = true\n');
  expect(await refusal(client.checkStart(asked))).toBeNull();
  expect(await refusal(client.checkInject(mine, asked))).toBeNull();
});

test('every turn is asked for anew', async () => {
  const { client, project, evil, directory, configure, ended } = createParty();
  configure('allowed_dirs = ["*"]\nsandbox = "danger-full-access"\n');
  const elsewhere = await ended(client, { workingDir: evil });
  const wide = await ended(client, { sandbox: 'danger-full-access' });
  configure('');
  const outside = `not_allowed: that directory is not allowed; allowed: ${directory} and below`;
  expect(await refusal(client.checkInject(elsewhere))).toBe(outside);
  expect(await refusal(client.checkInject(wide))).toContain('the widest that is allowed: workspace-write');
  // A directory that was a root by itself is below one now.
  configure(`allowed_dirs = ${quoted(project.base)}\n`);
  expect(await refusal(client.checkInject(elsewhere))).toContain('run at an allowed directory itself');
});

test('a directory that is swapped for a link after it was looked at is refused at the launch', async () => {
  const { project, evil, configure } = createParty();
  const [room, moved] = [join(project.base, 'room'), join(project.base, 'moved')];
  mkdirSync(room);
  configure(`allowed_dirs = ${quoted(room)}\n`);
  const base = installation();
  let swap = true;
  const client = managerOf(project, 'test', {
    // Asked for between the checks and the launch.
    newNonce() {
      if (swap) {
        renameSync(room, moved);
        symlinkSync(evil, room);
      }
      swap = false;
      return base.newNonce();
    },
  });
  const start = () => client.start({ task: 'quick', workingDir: room });
  expect(await refusal(start())).toMatch(/^not_allowed/);
  rmSync(room);
  renameSync(moved, room);
  const { id } = await start();
  await client.wait(id);
  swap = true;
  expect(await refusal(client.inject(id, 'quick'))).toMatch(/^not_allowed/);
  // Nor is it what the session began in, when somebody looks later.
  expect(await refusal(client.inject(id, 'quick'))).not.toBeNull();
  expect(project.runs()).toHaveLength(1);
});

test('an agent runs at an allowed directory itself, and is told to work below it', async () => {
  const { project, client, directory, ended, user } = createParty();
  mkdirSync(join(directory, 'sub/place'), { recursive: true });
  const id = await ended(client, { workingDir: 'sub/place' });
  await client.wait((await client.inject(id, 'quick')).id);
  await user.wait((await user.inject(id, 'quick')).id);
  expect(await client.get(id)).toMatchObject({
    working_dir: directory,
    work_in: 'sub/place',
    turns: [{ prompt: 'quick', by: 'mcp:test' }, { by: 'mcp:test' }, { by: 'user' }],
  });
  const page = await project.ok(['show', id]);
  expect(page).toMatch(/^ +work in +sub\/place$/m);
  expect(page).toMatch(/turn 1 · completed · by mcp:test/);
  expect(page).not.toContain('by user');
  // In its own thread it remembers that.
  const stdin = expect.stringMatching(/"sub\/place".*\n\nquick$/s);
  expect(project.runs()).toMatchObject([{ cwd: directory, stdin }, { stdin: 'quick' }, { stdin: 'quick' }]);
});

test('the agent of a session sends others no higher than it runs, and into no wider sandbox', async () => {
  const { user, directory, evil, agentOf, configure, ended } = createParty();
  const below = join(directory, 'below');
  mkdirSync(join(below, 'deeper'), { recursive: true });
  const lead = await ended(user, { workingDir: below, sandbox: 'read-only' });
  for (const toml of ['', `allowed_dirs = ${quoted(directory)}\n`]) {
    configure(toml);
    for (const [cwd = '', workingDir = ''] of [[below, '..'], '//', '/.', [below, evil]])
      expect(await refusal(agentOf(lead, cwd).checkStart({ workingDir }))).toContain('that directory is not');
  }
  const agent = agentOf(lead, below);
  expect(await refusal(agent.checkStart({ sandbox: 'workspace-write' }))).toMatch(/allowed: read-only$/);
  const child = await ended(agent, { workingDir: 'deeper' });
  const record = { sandbox: 'read-only', parent: lead, working_dir: below, work_in: 'deeper' };
  expect(await user.summary(child)).toMatchObject(record);
  // What its project says holds for it wherever it works there.
  configure('');
  const narrow = (path: string) => writeFileSync(join(path, 'zwarm.toml'), 'max_depth = 0\n');
  narrow(directory);
  expect(await refusal(agent.checkStart({}))).toContain('no more than 0 is allowed');
  // One that works beside the project has its directory for one, or the repository around that.
  const beside = await ended(user, { workingDir: evil });
  const asking = (id: string, workingDir: string) => refusal(agentOf(id, evil).checkStart({ workingDir }));
  expect(await asking(beside, 'below')).toBeNull();
  expect(await asking(beside, directory)).toContain('not allowed');
  place(join(evil, '.git/HEAD'), 'ref: refs/heads/main\n');
  const inside = await ended(user, { workingDir: join(evil, 'below') });
  expect(await asking(inside, 'below')).toBeNull();
  narrow(evil);
  expect(await asking(inside, 'below')).toContain('no more than 0');
});

test('sessions stand no deeper than is allowed, and below none that is gone or unknown', async () => {
  const { user, client, agentOf, configure, ended } = createParty();
  const start = (id: string) => refusal(agentOf(id).checkStart({}));
  expect(await start('abcdefghjk')).toContain('you are an agent of abcdefghjk, which is not a session here');
  const outer = await ended(client);
  const inner = await ended(agentOf(outer));
  expect(await start(inner)).toContain('at depth 2, and no more than 1 is allowed');
  configure('max_depth = 2\n');
  expect(await start(inner)).toBeNull();
  // Nor is one forked that could start no others.
  const lead = await ended(user, { orchestrates: true });
  const before = (await user.list({ all: true })).length;
  const orchestrating = [() => user.checkStart({ orchestrates: true }), () => user.fork(lead)];
  configure('max_depth = 0\n');
  expect(await refusal(client.checkStart({}))).toBeNull();
  for (const ask of orchestrating)
    expect(await refusal(ask())).toContain('it could start no other session: max_depth is 0');
  expect(await user.list({ all: true })).toHaveLength(before);
  configure('max_depth = 1\n');
  for (const ask of orchestrating) expect(await refusal(ask())).toBeNull();
  expect(await refusal(user.checkStart({ agent: 'demo', orchestrates: true }))).toContain('cannot run other');
  await user.remove(outer as never);
  for (const id of [inner, 'no id']) expect(await start(id)).toContain('a session above this one is gone');
  expect(await start(outer)).toContain(`you are an agent of ${outer}, which is not`);
});

test('others speak to, wind back, end and delete only what they or theirs started, unless the user allows it', async () => {
  const { user, client, agentOf, configure, ended, project } = createParty();
  const other = managerOf(project, 'other');
  const [users, others, mine] = [await ended(user), await ended(other), await ended(client)];
  const child = await ended(agentOf(mine));
  const running = await project.begin('hang');
  const before = snapshot(project.store());
  for (const asking of [client, agentOf(mine)]) {
    for (const id of [users, others])
      for (const verb of ['checkInject', 'kill', 'remove'] as const)
        expect(await refusal(asking[verb](id)), verb).toEqual(NOT_OWN);
    expect(await refusal(asking.rewind(users, 0))).toEqual(NOT_OWN);
    for (const ask of [
      () => asking.inject(users, 'quick'),
      () => asking.compact(users),
      () => asking.checkInject(running, { interrupt: true }),
      () => asking.inject(running, 'quick', { interrupt: true }),
    ])
      expect(await refusal(ask()), String(ask)).toEqual(NOT_OWN);
    expect(await refusal(asking.checkInject(child))).toBeNull();
  }
  // What its orchestrator left behind cannot have it begin again, nor end it.
  for (const id of [child, mine])
    expect(await refusal(agentOf(child).checkInject(mine)), id).toEqual(NOT_OWN);
  expect(await refusal(agentOf(mine).checkInject(mine))).toEqual(NOT_OWN);
  expect(snapshot(project.store()), 'who is refused changes nothing').toEqual(before);
  configure('end_others = true\n');
  expect(await refusal(client.checkInject(users))).toEqual(NOT_OWN);
  await client.remove(users);
  // One's own can be ended whatever became of the configuration.
  configure('nonsense');
  expect(await refusal(user.checkInject(mine))).toMatch(/^config: .* is not valid TOML/);
  await client.remove(child);
  expect((await user.list({ all: true })).map(({ id }) => id).sort()).toEqual([others, mine, running].sort());
});

test('no more sessions run at a time than may, however many are asked for at once, by whomever', async () => {
  const { user, client, configure, project } = createParty();
  configure('max_sessions = 3\n');
  // The user's own do not count.
  await user.start({ task: 'hang' });
  const clients = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => managerOf(project, name));
  const asked = await Promise.allSettled(clients.map((one) => one.start({ task: 'hang' })));
  const begun = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value.id : []));
  expect(begun).toHaveLength(3);
  expect(await refusal(client.checkStart({}))).toMatch(/^over_quota: 3 sessions run .* no more than 3 may/);
  const id = begun[0] ?? '';
  await user.kill(id as never);
  const again = await Promise.allSettled(clients.map((one) => one.inject(id, 'hang')));
  expect(again.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await refusal(client.checkStart({}))).toMatch(/^over_quota/);
});

test('a tree that was made for what one has started is a root of its own, and nobody else\u2019s', async () => {
  const project = createRepository({ 'sub/a': '' });
  const { directory, base, env } = project;
  const [client, other, user] = [
    managerOf(project, 'test'),
    managerOf(project, 'else'),
    managerOf(project, null),
  ];
  const begin = async (manager: SessionManager, options: Partial<StartOptions>) => {
    const { id } = await manager.start({ task: 'quick', worktree: {}, ...options });
    await manager.wait(id);
    return manager.summary(id);
  };
  const own = await begin(client, { name: 'own' });
  const path = join(base, 'project.worktrees/own');
  expect(own).toMatchObject({
    working_dir: path,
    worktree: { path, branch: 'zwarm/own' },
    source: 'mcp:test',
  });
  // Another turn, another session, and one below it.
  await client.inject(own.id, 'quick');
  await client.wait(own.id);
  const beside = await client.start({ task: 'quick', workingDir: join(path, 'sub') });
  expect(await client.summary(beside.id)).toMatchObject({
    working_dir: path,
    work_in: 'sub',
    worktree: { path },
  });
  const theirs = await begin(user, { name: 'theirs' });
  for (const workingDir of [theirs.working_dir ?? '', join(base, 'project.worktrees'), join(path, '.git')])
    expect(await refusal(client.checkStart({ workingDir })), workingDir).toContain('not_allowed');
  expect(await refusal(other.checkStart({ workingDir: path }))).toContain('not_allowed');
  // An agent in a tree sends others there, and into trees from its commit.
  const agent = managerOf(project, null, {
    project: user.project(),
    cwd: directory,
    env: { ...env, ZWARM_SESSION_ID: theirs.id },
  });
  const below = await begin(agent, { workingDir: theirs.working_dir ?? '', name: 'below' });
  expect(below).toMatchObject({ working_dir: join(base, 'project.worktrees/below'), parent: theirs.id });
  expect(await refusal(agent.checkStart({ workingDir: directory }))).toContain('not_allowed');
  // One that is exchanged for a link is none any more.
  renameSync(path, `${path}.away`);
  symlinkSync(base, path);
  expect(await refusal(client.inject(own.id, 'quick'))).toContain('directory_changed');
  expect(await refusal(client.checkStart({ workingDir: path }))).toContain('not_allowed');
});
