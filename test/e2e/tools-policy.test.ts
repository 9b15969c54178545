import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ZwarmError } from '../../src/core/errors.ts';
import { installation } from '../../src/installation.ts';
import { createSessionManager } from '../../src/manager/session-manager.ts';
import { type Project, SHELL_AGENT } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';
import { connectTools } from '../helpers/tools-client.ts';

function configure(project: Project, toml: string): void {
  const path = join(project.base, 'home/.config/zwarm/config.toml');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, toml);
}

/** A directory beside the project, whose name begins like the project's. */
function evilTwin(project: Project): string {
  const path = `${project.directory}-evil`;
  mkdirSync(path, { recursive: true });
  return path;
}

/** What an agent types to call zwarm and leave in a file of its project how that ended, and what it said. */
const attempt = (project: Project, name: string, args: string): string =>
  `out=$("$ZWARM_NODE" "$ZWARM_MAIN" ${args} 2>&1); echo "$?" $out > "${project.directory}/${name}";`;

const REFUSED = { isError: true, fields: { success: false } };

describe('a directory that is not allowed', () => {
  const ways: readonly (readonly [what: string, dir: (project: Project) => string])[] = [
    ['above the project', (project) => `${project.directory}/..`],
    ['out of it with ..', (project) => `${project.directory}/../home`],
    [
      'behind a link',
      (project) => {
        symlinkSync(evilTwin(project), join(project.directory, 'link'));
        return join(project.directory, 'link');
      },
    ],
    [
      'below a link',
      (project) => {
        mkdirSync(join(evilTwin(project), 'below'), { recursive: true });
        symlinkSync(evilTwin(project), join(project.directory, 'another'));
        return join(project.directory, 'another/below');
      },
    ],
    ['of a name that begins like the project', evilTwin],
    ['relative', () => '.'],
    ['relative to the home', () => '~'],
    ['in the home', () => '~/x'],
    ['the root', () => '/'],
  ];

  test('is refused by delegate', async () => {
    const project = createShellProject();
    const { call } = await connectTools(project);
    for (const [what, dir] of ways) {
      const answer = await call('delegate', { task: 'quick', working_dir: dir(project) });
      expect(answer, what).toMatchObject(REFUSED);
      expect(answer.text, what).not.toContain('-evil');
    }
    expect(await project.list()).toEqual([]);
    expect(project.runs()).toEqual([]);
  });

  test('is refused by converse, though it was allowed when the session began', async () => {
    const project = createShellProject();
    const { call, ok } = await connectTools(project);
    for (const [what, dir] of ways.filter(([name]) => !name.includes('home') && name !== 'relative')) {
      configure(project, 'allowed_dirs = ["*"]\n');
      const task = { task: '[[seconds=0]]', agent: 'demo' };
      const { session_id: id } = await ok('delegate', { ...task, working_dir: dir(project) });
      configure(project, '');
      const answer = await call('converse', { session_id: id, message: 'quick' });
      expect(answer, what).toMatchObject(REFUSED);
      expect(answer.fields, what).toMatchObject({
        error: 'that directory is not allowed',
        hint: `allowed: ${project.directory} and below`,
      });
      expect((await project.show(id)).turns, what).toHaveLength(1);
    }
  });

  test('is refused by converse: one that was swapped for a link since', async () => {
    const project = createShellProject();
    const { call, ok } = await connectTools(project);
    const place = join(project.base, 'place');
    mkdirSync(place);
    configure(project, `allowed_dirs = [${JSON.stringify(place)}]\n`);
    const { session_id } = await ok('delegate', { task: 'quick', working_dir: place });
    renameSync(place, join(project.base, 'moved'));
    symlinkSync(evilTwin(project), place);
    expect(await call('converse', { session_id, message: 'quick' })).toMatchObject(REFUSED);
    expect(project.runs()).toHaveLength(1);
  });

  test('is refused at the launch: one that is swapped for a link after it was looked at', async () => {
    const project = createShellProject();
    const place = join(project.base, 'place');
    mkdirSync(place);
    configure(project, `allowed_dirs = [${JSON.stringify(place)}]\n`);
    const evil = evilTwin(project);
    const base = installation();
    let swap = false;
    const manager = createSessionManager({
      ...base,
      client: 'test',
      cwd: project.directory,
      env: { ...project.env, ZWARM_CODEX_BIN: SHELL_AGENT },
      uid: process.getuid?.() ?? 0,
      stateDir: null,
      // Asked for between the checks and the launch.
      newNonce() {
        if (swap) {
          swap = false;
          renameSync(place, join(project.base, 'moved'));
          symlinkSync(evil, place);
        }
        return base.newNonce();
      },
    });
    swap = true;
    const refused = await manager
      .start({ task: 'quick', workingDir: place })
      .catch((error: ZwarmError) => error);
    expect(refused).toMatchObject({ code: 'not_allowed' });
    rmSync(place);
    renameSync(join(project.base, 'moved'), place);
    const { id } = await manager.start({ task: 'quick', workingDir: place });
    await manager.wait(id);
    swap = true;
    expect(await manager.inject(id, 'quick').catch((error: ZwarmError) => error)).toMatchObject({
      code: 'not_allowed',
    });
    expect(project.runs()).toHaveLength(1);
  });
});

test('the user says where else agents may work, and in which sandbox', async () => {
  const project = createShellProject();
  const { call, ok } = await connectTools(project);
  const evil = evilTwin(project);
  const below = join(evil, 'below');
  mkdirSync(below);
  configure(project, `allowed_dirs = [${JSON.stringify(evil)}]\n`);
  expect(await ok('delegate', { task: 'quick', working_dir: below })).toMatchObject({ success: true });
  // A list stands for all: the project itself is not on it.
  expect(await call('delegate', { task: 'quick' })).toMatchObject({
    ...REFUSED,
    fields: { hint: `allowed: ${evil} and below` },
  });
  configure(project, 'allowed_dirs = []\n');
  expect(await call('delegate', { task: 'quick' })).toMatchObject(REFUSED);
  configure(project, 'allowed_dirs = ["*"]\n');
  expect(await ok('delegate', { task: 'quick', working_dir: evil })).toMatchObject({ success: true });

  expect(await call('delegate', { task: 'quick', sandbox: 'danger-full-access' })).toMatchObject({
    ...REFUSED,
    fields: { hint: 'the widest that is allowed: workspace-write' },
  });
  configure(project, 'sandbox = "read-only"\n');
  const { session_id } = await ok('delegate', { task: 'quick' });
  expect(await project.show(session_id)).toMatchObject({ sandbox: 'read-only' });
  expect(await call('delegate', { task: 'quick', sandbox: 'workspace-write' })).toMatchObject(REFUSED);
  configure(project, 'sandbox = "danger-full-access"\n');
  expect(await ok('delegate', { task: 'quick', sandbox: 'danger-full-access' })).toMatchObject({
    success: true,
  });
});

test('a session is not continued in a wider sandbox than others may have by now', async () => {
  const project = createShellProject();
  const { call, ok } = await connectTools(project);
  configure(project, 'sandbox = "danger-full-access"\n');
  const { session_id } = await ok('delegate', { task: 'quick', sandbox: 'danger-full-access' });
  configure(project, '');
  expect(await call('converse', { session_id, message: 'quick' })).toMatchObject({
    ...REFUSED,
    fields: { hint: 'the widest that is allowed: workspace-write' },
  });
  expect(project.runs()).toHaveLength(1);
});

test('an agent runs at an allowed directory itself, and is told to work below it', async () => {
  const project = createShellProject();
  const { call, ok } = await connectTools(project);
  const place = join(project.directory, 'sub/place');
  mkdirSync(place, { recursive: true });
  const { session_id } = await ok('delegate', { task: 'quick', working_dir: place });
  expect(await project.show(session_id)).toMatchObject({
    working_dir: project.directory,
    work_in: 'sub/place',
    turns: [{ prompt: 'quick', by: 'mcp:test-client' }],
  });
  expect(await project.ok(['show', session_id])).toMatch(/^ +work in +sub\/place$/m);
  await ok('converse', { session_id, message: 'quick' });
  const [first, second] = project.runs();
  expect(first).toMatchObject({
    cwd: project.directory,
    stdin: expect.stringMatching(/"sub\/place".*\n\nquick$/s),
  });
  expect(first?.argv.slice(first.argv.indexOf('-C'))[1]).toBe(project.directory);
  // In its own thread it remembers that.
  expect(second).toMatchObject({ cwd: project.directory, stdin: 'quick' });

  // Attack B2: other programs run what lies there.
  for (const closed of ['.git', '.git/hooks', '.codex', 'sub/.agents', '.claude', '.zwarm', '.GIT']) {
    mkdirSync(join(project.directory, closed), { recursive: true });
    for (const [working_dir, allowed] of [
      [join(project.directory, closed), ''],
      [join(project.directory, closed), 'allowed_dirs = ["*"]\n'],
    ]) {
      configure(project, allowed ?? '');
      expect(await call('delegate', { task: 'quick', working_dir }), closed).toMatchObject(REFUSED);
    }
  }
  expect(project.runs()).toHaveLength(2);
});

test('an orchestrator below the root of a project sends its agents no higher', async () => {
  const project = createShellProject();
  const below = join(project.directory, 'below');
  mkdirSync(join(below, 'deeper'), { recursive: true });
  for (const allowed of ['', `allowed_dirs = [${JSON.stringify(project.directory)}]\n`]) {
    configure(project, allowed);
    await project.ok([
      ...['start', '-q', '--wait', '-C', below],
      `run rm -f ../up ../down; ${attempt(project, 'up', 'start -C .. quick')} ` +
        attempt(project, 'down', 'start -q -C deeper quick'),
    ]);
    expect(await project.written('up')).toMatch(/^5 .*not allowed/);
    const child = (await project.written('down')).slice(2);
    expect(await project.show(child)).toMatchObject({ working_dir: below, work_in: 'deeper' });
  }
});

test('others speak only to what they started (attack B5)', async () => {
  const project = createShellProject();
  configure(project, 'end_others = true\nmax_depth = 9\n');
  const users = await project.ok(['start', '-q', 'quick']);
  await project.ok(['wait', users]);
  const { call } = await connectTools(project);
  expect(await call('converse', { session_id: users, message: 'quick' })).toMatchObject({
    ...REFUSED,
    fields: { error: `${users} was not started by you` },
  });
  // What an ended orchestrator left behind cannot have it begin again, for ever.
  const above = await project.begin(
    `run (until [ -e ended ]; do sleep 0.01; done; ${attempt(project, 'again', 'inject "$ZWARM_SESSION_ID" quick')} ` +
      `${attempt(project, 'rm', 'rm "$ZWARM_SESSION_ID"')}) > "${project.base}/left" 2>&1 &`,
  );
  await project.ok(['wait', above]);
  writeFileSync(join(project.directory, 'ended'), '');
  expect(await project.written('again')).toMatch(/^5 .*was not started by you/);
  await project.written('rm');
  expect((await project.show(users)).turns).toHaveLength(1);
});

test('every turn tells who asked for it', async () => {
  const project = createShellProject();
  const { ok } = await connectTools(project);
  const { session_id, by } = await ok('delegate', { task: 'quick' });
  expect(by).toBe('mcp:test-client');
  await project.ok(['inject', session_id, '--wait', 'quick']);
  expect((await project.show(session_id)).turns.map((turn) => turn.by)).toEqual(['mcp:test-client', 'user']);
  expect(await ok('check_session', { session_id })).toMatchObject({ turn: 2, by: 'user' });
  const page = await project.ok(['show', session_id]);
  expect(page).toMatch(/turn 1 · completed · by mcp:test-client/);
  expect(page).not.toContain('by user');
});

test('a zwarm.toml narrows, and widens nothing', async () => {
  const project = createShellProject();
  const { call, ok } = await connectTools(project);
  const toml = join(project.directory, 'zwarm.toml');
  const evil = evilTwin(project);
  writeFileSync(
    toml,
    `allowed_dirs = ["*", ${JSON.stringify(evil)}]\nsandbox = "danger-full-access"\nmax_depth = 9\nmax_sessions = 999\nend_others = true\n`,
  );
  expect(await call('delegate', { task: 'quick', working_dir: evil })).toMatchObject(REFUSED);
  expect(await call('delegate', { task: 'quick', sandbox: 'danger-full-access' })).toMatchObject(REFUSED);
  const mine = await project.ok(['start', '-q', 'hang']);
  expect(await call('end_session', { session_id: mine })).toMatchObject(REFUSED);

  writeFileSync(toml, 'allowed_dirs = ["inner"]\nsandbox = "read-only"\nmax_sessions = 1\n');
  const inner = join(project.directory, 'inner');
  mkdirSync(inner);
  expect(await call('delegate', { task: 'quick' })).toMatchObject({
    ...REFUSED,
    fields: { hint: `allowed: ${project.directory} and below; and of these only ${inner} and below` },
  });
  // An agent in the project could exchange that part of it, and could have written this very file.
  expect(await call('delegate', { task: 'quick', working_dir: inner })).toMatchObject({
    ...REFUSED,
    fields: { error: expect.stringContaining('only a part of an allowed directory') },
  });
  configure(project, `allowed_dirs = [${JSON.stringify(inner)}]\n`);
  const { session_id } = await ok('delegate', { task: 'hang', working_dir: inner, mode: 'async' });
  expect(await project.show(session_id)).toMatchObject({ sandbox: 'read-only', working_dir: inner });
  expect(await call('delegate', { task: 'quick', working_dir: inner })).toMatchObject({
    ...REFUSED,
    fields: { error: expect.stringContaining('no more than 1 may') },
  });
});

test('no more sessions run at a time than the quota has, however many calls come at once', async () => {
  const project = createShellProject();
  configure(project, 'max_sessions = 3\n');
  const { call, ok } = await connectTools(project);
  // The user's own do not count.
  await project.ok(['start', '-q', 'hang']);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => call('delegate', { task: 'hang', mode: 'async' })),
  );
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(3);
  const [first] = answers.flatMap(({ isError, fields }) => (isError ? [] : [fields.session_id]));
  await ok('end_session', { session_id: first });
  expect(await ok('converse', { session_id: first, message: 'hang', wait: false })).toMatchObject({
    turn: 2,
  });
  expect(await call('delegate', { task: 'quick' })).toMatchObject(REFUSED);
});

test('only what one has started can be ended or deleted, unless the user allows it', async () => {
  const project = createShellProject();
  const users = await project.ok(['start', '-q', 'hang']);
  const other = await connectTools(project, { name: 'other' });
  const others = (await other.ok('delegate', { task: 'hang', mode: 'async' })).session_id;
  const { call, ok } = await connectTools(project);
  for (const session_id of [users, others]) {
    for (const more of [{}, { delete: true }]) {
      expect(await call('end_session', { session_id, ...more })).toMatchObject({
        ...REFUSED,
        fields: { error: `${session_id} was not started by you` },
      });
    }
  }
  expect((await project.list()).map(({ status }) => status)).toEqual(['running', 'running']);
  configure(project, 'end_others = true\n');
  expect(await ok('end_session', { session_id: users, delete: true })).toMatchObject({ deleted: true });
});

test('an agent keeps to the policy too, by whatever way it calls', async () => {
  const project = createShellProject();
  evilTwin(project);
  const id = await project.begin(
    `run ${attempt(project, 'evil', `start -C "${project.directory}-evil" quick`)} ` +
      `${attempt(project, 'wide', 'start -s danger-full-access quick')} ` +
      `${attempt(project, 'args', 'start --agent-arg=-c --agent-arg=x=1 quick')} ` +
      `cd /; ${attempt(project, 'root', 'start -C / quick')}`,
  );
  for (const name of ['evil', 'wide', 'args', 'root'])
    expect(await project.written(name), name).toMatch(/^5 /);
  await project.ok(['wait', id]);
  // A child of its own is allowed, a grandchild is not, unless the user says so.
  const prompts = [
    attempt(project, 'grandchild', 'start quick'),
    attempt(project, 'child', 'start --wait -F prompt'),
  ];
  writeFileSync(join(project.directory, 'prompt'), `run ${prompts[0]}`);
  await project.ok(['wait', await project.begin(`run ${prompts[1]}`)]);
  expect(await project.written('child')).toBe('0 done');
  expect(await project.written('grandchild')).toMatch(/^5 .*depth 2, and no more than 1 is allowed/);
  configure(project, 'max_depth = 2\n');
  await project.ok(['wait', await project.begin(`run ${prompts[1]}`)]);
  expect(await project.written('grandchild')).toMatch(/^0 [a-z2-9]{10}$/);
});

test('an orchestrator gives its agents no wider sandbox than its own', async () => {
  const project = createShellProject();
  const prompt = `run ${attempt(project, 'usual', 'start -q quick')} ${attempt(project, 'wider', 'start -s workspace-write quick')}`;
  const id = await project.ok(['start', '-q', '-s', 'read-only', prompt]);
  expect(await project.written('wider')).toMatch(/^5 .*the widest that is allowed: read-only$/);
  expect(await project.show((await project.written('usual')).slice(2))).toMatchObject({
    sandbox: 'read-only',
    parent: id,
  });
});

test('orchestrate needs an agent that can be given tools, and room below', async () => {
  const project = createShellProject();
  expect(await project.run(['orchestrate', '-a', 'demo', 'x'])).toMatchObject({ code: 2 });
  configure(project, 'max_depth = 0\n');
  const refused = await project.run(['orchestrate', 'x']);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('max_depth is 0') });
  expect(await project.list()).toEqual([]);
});

test('a client without a name is not the user', async () => {
  const project = createShellProject();
  for (const name of ['', '!!']) {
    const { call, ok } = await connectTools(project, { name });
    expect(await call('delegate', { task: 'quick', sandbox: 'danger-full-access' })).toMatchObject(REFUSED);
    const { session_id } = await ok('delegate', { task: 'quick' });
    expect((await project.show(session_id)).source).toMatch(/^mcp:(unknown|-)$/);
  }
});

test('a session whose parent was removed starts no others', async () => {
  const project = createShellProject();
  configure(project, 'max_depth = 2\n');
  writeFileSync(
    join(project.directory, 'inner'),
    `run until [ -e go ]; do sleep 0.01; done; ${attempt(project, 'inner.out', 'start quick')}`,
  );
  const outer = await project.begin(`run ${attempt(project, 'outer.out', 'start -q -F inner')}`);
  const inner = (await project.written('outer.out')).slice(2);
  await project.ok(['wait', outer]);
  await project.settled(outer);
  await project.ok(['rm', outer]);
  writeFileSync(join(project.directory, 'go'), '');
  expect(await project.written('inner.out')).toMatch(/^5 .*is gone/);
  await project.ok(['wait', inner]);
});

test('an agent neither interrupts nor winds back what it did not start', async () => {
  const project = createShellProject();
  const running = await project.ok(['start', '-q', 'hang']);
  const ended = await project.ok(['start', '-q', 'quick']);
  await project.ok(['wait', ended]);
  const id = await project.begin(
    `run ${attempt(project, 'interrupt', `inject --interrupt ${running} quick`)} ${attempt(project, 'rewind', `rewind ${ended} --to 0`)}`,
  );
  for (const name of ['interrupt', 'rewind'])
    expect(await project.written(name)).toMatch(/^5 .*was not started by you/);
  await project.ok(['wait', id]);
  expect((await project.show(running)).status).toBe('running');
  expect((await project.show(ended)).turns).toHaveLength(1);
});

test('the project of a server stays what it was, whatever is moved away', async () => {
  const project = createShellProject();
  const repo = join(project.directory, 'repo');
  mkdirSync(join(repo, '.git'), { recursive: true });
  writeFileSync(join(repo, '.git/HEAD'), 'ref: refs/heads/main\n');
  await project.ok(['start', '-q', '--wait', 'quick']);
  const { call, ok } = await connectTools(project, { cwd: repo });
  await ok('delegate', { task: 'quick', working_dir: repo });
  renameSync(join(repo, '.git'), join(repo, 'git'));
  expect(await call('delegate', { task: 'quick', working_dir: project.directory })).toMatchObject(REFUSED);
  expect(await ok('list_sessions')).toMatchObject({ count: 1 });
});

test('a state directory that lies beside projects opens none of them to the agents of another', async () => {
  const project = createShellProject();
  const [one, two] = ['one', 'two'].map((name) => join(project.directory, name));
  for (const path of [one, two]) mkdirSync(path ?? '');
  const id = await project.ok([
    ...['--state-dir', join(project.directory, 'state'), 'start', '-q', '-C', one ?? ''],
    `run ${attempt(project, 'two.out', `start -C "${two}" quick`)}`,
  ]);
  expect(await project.written('two.out')).toMatch(/^5 .*not allowed/);
  await project.ok(['--state-dir', join(project.directory, 'state'), 'wait', id]);
});

test('the quota holds for several servers at once', async () => {
  const project = createShellProject();
  configure(project, 'max_sessions = 1\n');
  const servers = await Promise.all(['a', 'b', 'c'].map((name) => connectTools(project, { name })));
  await Promise.all(servers.map(({ call }) => call('delegate', { task: 'hang', mode: 'async' })));
  const rows = await project.list(['--all']);
  expect(rows.filter(({ status }) => status === 'running')).toHaveLength(1);
});

test('a client may end what its own sessions have started', async () => {
  const project = createShellProject();
  const { ok } = await connectTools(project);
  await ok('delegate', { task: `run ${attempt(project, 'child', 'start -q hang')}` });
  const child = (await project.written('child')).slice(2);
  expect(await ok('end_session', { session_id: child })).toMatchObject({ status: 'killed' });
});

test('a name that is taken is not taken once more, whoever bears it', async () => {
  const project = createShellProject();
  await project.ok(['start', '-q', '--wait', '--name', 'deploy', 'quick']);
  const { call, ok } = await connectTools(project);
  await ok('delegate', { task: 'quick', name: 'mine' });
  for (const name of ['deploy', 'mine'])
    expect(await call('delegate', { task: 'quick', name })).toMatchObject(REFUSED);
});
