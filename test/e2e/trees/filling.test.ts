import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../../helpers/config.ts';
import { git } from '../../helpers/git.ts';
import { eventually, type Project, SHELL_AGENT } from '../../helpers/project.ts';
import { commitFiles, createRepository } from '../../helpers/repository.ts';
import { CODEX_THREAD, createUser } from '../../helpers/user.ts';

const treeOf = ({ base }: Project, name: string) => join(base, 'project.worktrees', name);
const tomlOf = ({ directory }: Project) => join(directory, 'zwarm.toml');

/** A project that says what its worktrees need, which the user trusts. */
async function createFilled(table: string): Promise<Project> {
  const project = createRepository({ '.gitignore': '.env*\nnode_modules\nsecret\nzwarm.toml\n', a: '' });
  place(tomlOf(project), `[worktree]\n${table}\n`);
  if (table.includes('setup')) await project.ok(['config', 'trust', '-y']);
  return project;
}

test('files that git ignores are copied by pattern, and directories cloned', async () => {
  const project = await createFilled('copy = ["/.env*", "../*", "ext/*"]\nclone = ["node_modules", "none"]');
  const { base, directory } = project;
  mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(directory, 'node_modules/.bin/tool'), '#!/bin/sh\n', { mode: 0o755 });
  symlinkSync('tool', join(directory, 'node_modules/.bin/link'));
  writeFileSync(join(directory, '.env'), 'KEY=1\n', { mode: 0o600 });
  mkdirSync(join(directory, 'config'));
  writeFileSync(join(directory, 'config/.env.local'), '');
  writeFileSync(join(directory, 'secret'), 's');
  writeFileSync(join(base, 'outside'), '');
  symlinkSync(base, join(directory, 'ext'));
  // Ignored and named: what others read, too. What is not ignored is not.
  writeFileSync(join(directory, '.worktreeinclude'), 'secret\nplain\n../outside\n');
  writeFileSync(join(directory, 'plain'), '');
  await project.ok(['start', '-W', '--name', 'n', '--wait', 'quick']);
  const path = treeOf(project, 'n');
  expect(readdirSync(path).sort()).toEqual(['.env', '.git', '.gitignore', 'a', 'node_modules', 'secret']);
  expect(statSync(join(path, '.env')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, 'node_modules/.bin')).sort()).toEqual(['link', 'tool']);
  expect(statSync(join(path, 'node_modules/.bin/tool')).mode & 0o100).toBe(0o100);
});

test('what leads out of the checkout is cloned from nowhere', async () => {
  const project = await createFilled('clone = ["link/inner", "a", "link"]');
  const out = join(project.base, 'out/inner');
  mkdirSync(out, { recursive: true });
  symlinkSync(join(project.base, 'out'), join(project.directory, 'link'));
  await project.ok(['start', '-W', '--name', 'n', '--wait', 'quick']);
  expect(readdirSync(treeOf(project, 'n')).sort()).toEqual(['.git', '.gitignore', 'a']);
  for (const wrong of [
    'clone = ["../out"]',
    'clone = ["/etc"]',
    'clone = [".git/hooks"]',
    'clone = [""]',
    'copi = []',
    'timeout = "soon"',
  ]) {
    place(tomlOf(project), `[worktree]\n${wrong}\n`);
    expect(await project.$('start -W x')).toMatch(/zwarm\.toml: worktree.*\[exit 2\]\n$/s);
  }
});

test('nothing is copied through a link that is in the commit', async () => {
  const project = await createFilled('copy = ["dir/.env"]\nclone = ["dir/node_modules"]');
  const { base, directory } = project;
  const out = join(base, 'out');
  mkdirSync(out);
  symlinkSync(out, join(directory, 'dir'));
  git(directory, 'add', 'dir');
  git(directory, 'commit', '-q', '-m', 'link');
  // In the checkout there is a directory now, and git has been told to take it for the link.
  git(directory, 'update-index', '--assume-unchanged', 'dir');
  rmSync(join(directory, 'dir'));
  mkdirSync(join(directory, 'dir/node_modules'), { recursive: true });
  for (const name of ['.env', 'secret', 'plain', 'node_modules/x'])
    writeFileSync(join(directory, 'dir', name), '');
  writeFileSync(join(directory, '.worktreeinclude'), 'secret\n');
  await project.ok(['start', '-W', '--name', 'n', '--wait', 'quick']);
  expect(lstatSync(join(treeOf(project, 'n'), 'dir')).isSymbolicLink()).toBe(true);
  const changed = await project.zwarm(['start', '-W', '--with-changes', '--name', 'm', '--wait', 'quick']);
  expect(changed.code).not.toBe(0);
  expect(readdirSync(out)).toEqual([]);
});

test('the setup runs before the agent, outside of its sandbox, with what keeps trees apart', async () => {
  const project = await createFilled(
    'setup = "pwd; env | grep -E \'^(ZWARM_(PORT|WORK|MAIN_)|COMPOSE)\' | sort; umask; echo made > made"',
  );
  const names = ['one.a', 'two'];
  for (const name of names) {
    const task = 'run cat made > seen; env > env; pwd >> seen';
    expect(await project.asProcess(['start', '-W', '--name', name, '--wait', task])).toMatchObject({
      code: 0,
    });
  }
  const ids = await Promise.all(names.map(async (name) => (await project.show(name)).id));
  const logs = ids.map((id) => readFileSync(project.turnFile(id, 1, 'setup.log'), 'utf8'));
  expect(logs.join('').replaceAll(project.base, '/base')).toMatchInlineSnapshot(`
    "$ pwd; env | grep -E '^(ZWARM_(PORT|WORK|MAIN_)|COMPOSE)' | sort; umask; echo made > made
    /base/project.worktrees/one.a
    COMPOSE_PROJECT_NAME=project-one-a
    ZWARM_MAIN_CHECKOUT=/base/project
    ZWARM_PORT_BASE=20000
    ZWARM_WORKTREE=/base/project.worktrees/one.a
    0022
    $ pwd; env | grep -E '^(ZWARM_(PORT|WORK|MAIN_)|COMPOSE)' | sort; umask; echo made > made
    /base/project.worktrees/two
    COMPOSE_PROJECT_NAME=project-two
    ZWARM_MAIN_CHECKOUT=/base/project
    ZWARM_PORT_BASE=20010
    ZWARM_WORKTREE=/base/project.worktrees/two
    0022
    "
  `);
  for (const name of names) {
    const path = treeOf(project, name);
    expect(readFileSync(join(path, 'seen'), 'utf8')).toBe(`made\n${path}\n`);
    expect(readFileSync(join(path, 'env'), 'utf8')).toContain(`ZWARM_WORKTREE=${path}\n`);
  }
  // What it makes is not what the agent has changed.
  const [changed] = JSON.parse(await project.ok(['diff', 'one.a', '--json'])).changed_files;
  expect(changed).toMatchObject({ path: 'env', kind: 'added' });
  // Not again on the next turn.
  expect(await project.asProcess(['inject', 'two', '--wait', 'run rm made'])).toMatchObject({ code: 0 });
  expect(existsSync(join(treeOf(project, 'two'), 'made'))).toBe(false);
  expect(existsSync(project.turnFile(ids[1] ?? '', 2, 'setup.log'))).toBe(false);
});

test('a setup that fails or takes too long ends the turn, and the next message tries it again', async () => {
  const project = await createFilled('setup = "echo no network; test -e ../mended"\ntimeout = "20s"');
  const { code, stderr } = await project.asProcess([
    'start',
    '-W',
    '--name',
    'n',
    '--wait',
    'run echo > ran',
  ]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('the setup of its worktree failed: it ended with 1'),
  ]);
  const detail = await project.show('n');
  expect(detail).toMatchObject({ status: 'failed', error: { code: 'setup' } });
  expect(detail.error?.hint).toContain('setup.log');
  expect(existsSync(join(treeOf(project, 'n'), 'ran'))).toBe(false);
  writeFileSync(join(treeOf(project, 'mended')), '');
  expect(await project.asProcess(['inject', 'n', '--wait', 'run echo > ran'])).toMatchObject({ code: 0 });
  expect(existsSync(join(treeOf(project, 'n'), 'ran'))).toBe(true);

  place(tomlOf(project), '[worktree]\nsetup = "sleep 1000 & wait"\ntimeout = "1s"\n');
  await project.ok(['config', 'trust', '-y']);
  const late = await project.asProcess(['start', '-W', '--name', 'late', '--wait', 'quick']);
  expect(late.stderr).toContain('it had not ended after 1 s, and was stopped');
});

/** What leads out of the sandbox if a setup runs it. */
const plant = (path = 'setup.sh') => `run echo 'echo > ../escaped' > ${path}`;

/** How something of an agent comes into a tree `n` whose setup is still to run. */
const WAYS: Readonly<Record<string, (project: Project, tree: string) => Promise<unknown>>> = {
  'an agent that works there': ({ asProcess }, cwd) => asProcess(['start', '--wait', plant()], { cwd }),
  'an agent that may write above': ({ asProcess }, tree) =>
    asProcess(['start', '--wait', `--agent-arg=--add-dir=${dirname(tree)}`, plant(`${tree}/setup.sh`)]),
  'the agent of a fork': ({ asProcess }) => asProcess(['fork', 'n', '--wait', plant()]),
  'an agent while its path is a link': async ({ asProcess }, tree) => {
    const [trees, away] = [dirname(tree), `${dirname(tree)}.away`];
    renameSync(trees, away);
    symlinkSync(away, trees);
    const ended = await asProcess(['start', '--wait', plant()], { cwd: tree });
    rmSync(trees);
    renameSync(away, trees);
    return ended;
  },
  'an agent while it is in the trash': async (project, tree) => {
    writeFileSync(join(tree, 'own'), '');
    const { id } = await project.show('n');
    await project.ok(['rm', 'n']);
    const there = join(dirname(tree), '.trash', id, 'setup.sh');
    const above = `--agent-arg=--add-dir=${dirname(tree)}`;
    const ended = await project.asProcess(['start', '--wait', above, plant(there)]);
    await project.ok(['restore', id]);
    return ended;
  },
  land: (project, tree) => bringInto(project, tree, 'land'),
  apply: (project, tree) => bringInto(project, tree, 'apply'),
};

/** Brings into a tree what an agent has written in a tree that was made from it. */
async function bringInto({ directory, asProcess }: Project, cwd: string, verb: 'land' | 'apply') {
  git(directory, 'config', 'user.name', 'n');
  git(directory, 'config', 'user.email', 'n@localhost');
  writeFileSync(`${dirname(cwd)}/mended`, '');
  await asProcess(['start', '-W', '--name', 'm', '--wait', plant()], { cwd });
  return asProcess([verb, 'm'], { cwd });
}

test.each(Object.entries(WAYS))('a setup runs nothing that comes into a tree by %s', async (_, come) => {
  const project = await createFilled('setup = "test -e ../mended && sh ./setup.sh"');
  project.env['FAKE_AGENT_THREADS'] = '1';
  commitFiles(project.directory, { 'setup.sh': 'true' });
  const tree = treeOf(project, 'n');
  const first = await project.asProcess(['start', '-W', '--name', 'n', '--wait', 'quick']);
  expect(first.stderr).toContain('the setup of its worktree failed');
  expect(await come(project, tree)).toMatchObject({ code: 0 });
  expect(readFileSync(join(tree, 'setup.sh'), 'utf8')).toContain('escaped');
  writeFileSync(treeOf(project, 'mended'), '');
  expect(await project.asProcess(['inject', 'n', '--wait', 'quick'])).toMatchObject({ code: 0 });
  expect(existsSync(treeOf(project, 'escaped'))).toBe(false);
});

test('a setup runs nothing that comes into a tree by an agent that is opened', async () => {
  const user = createUser();
  Object.assign(user.env, { ZWARM_CODEX_BIN: SHELL_AGENT, FAKE_AGENT_THREADS: '1' });
  git(user.directory, 'init', '-q', '-b', 'main');
  commitFiles(user.directory, { '.gitignore': 'zwarm.toml\n', 'setup.sh': 'true' });
  place(tomlOf(user), '[worktree]\nsetup = "test -e ../mended && sh ./setup.sh"\n');
  await user.ok(['config', 'trust', '-y']);
  const tree = treeOf(user, 'n');
  await user.asProcess(['start', '-W', '--name', 'n', '--wait', 'quick']);
  place(
    join(user.base, 'home/.codex/config.toml'),
    `[sandbox_workspace_write]\nwritable_roots = ["${dirname(tree)}"]\n`,
  );
  const id = await user.ok(['import', '-q', CODEX_THREAD]);
  const handOver = async () => {
    writeFileSync(join(tree, 'setup.sh'), 'echo > ../escaped');
    return 0;
  };
  expect(await user.zwarm(['open', id], { tty: true, handOver })).toMatchObject({ code: 0 });
  writeFileSync(treeOf(user, 'mended'), '');
  expect(await user.asProcess(['inject', 'n', '--wait', 'quick'])).toMatchObject({ code: 0 });
  expect([existsSync(join(tree, 'setup.sh')), existsSync(treeOf(user, 'escaped'))]).toEqual([true, false]);
});

test('no tree that needs a setup is made where an agent that runs could write in it', async () => {
  const project = await createFilled('setup = "true"');
  const trees = treeOf(project, '');
  mkdirSync(trees);
  const other = await project.start([`--agent-arg=--add-dir=${trees}`, 'hang']);
  const refused = await project.zwarm(['start', '-W', '--name', 'n', 'quick']);
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain(`the agent of ${other} could write in ${treeOf(project, 'n')}`);
  expect(readdirSync(trees)).toEqual([]);
  await project.ok(['kill', other]);
  expect(await project.asProcess(['start', '-W', '--name', 'n', '--wait', 'quick'])).toMatchObject({
    code: 0,
  });
});

test('a setup does not run again after an agent of which nobody knows how it ended', async () => {
  const project = await createFilled('setup = "echo >> ../ran"');
  const id = (await project.asProcess(['start', '-W', '--name', 'n', 'hang'])).stdout.trim();
  await eventually('its agent runs', () => project.runs().length === 1);
  project.lose(id);
  await eventually('it is lost', async () => (await project.show(id)).status === 'lost');
  expect(await project.asProcess(['inject', 'n', '--wait', 'quick'])).toMatchObject({ code: 0 });
  expect(readFileSync(treeOf(project, 'ran'), 'utf8')).toBe('\n');
});

test('no agent comes into a tree while its setup runs', async () => {
  const project = await createFilled('setup = "until test -e ../go; do sleep 0.1; done"');
  const id = (await project.asProcess(['start', '-W', '--name', 'n', 'quick'])).stdout.trim();
  const path = treeOf(project, 'n');
  const refused = await project.asProcess(['start', '--name', 'other', 'quick'], { cwd: path });
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain(`${path} is just being made ready for ${id}`);
  // One that only reads may.
  const reader = await project.asProcess(['start', '-s', 'read-only', '--wait', 'quick'], { cwd: path });
  expect(reader).toMatchObject({ code: 0 });
  writeFileSync(treeOf(project, 'go'), '');
  expect(await project.asProcess(['wait', 'n'])).toMatchObject({ code: 0 });
  expect(await project.asProcess(['inject', 'other', '--wait', 'quick'])).toMatchObject({ code: 0 });
});

test('what is queued for a tree whose setup runs begins when that has ended', async () => {
  const project = await createFilled('setup = "until test -e ../go; do sleep 0.1; done"');
  await project.asProcess(['start', '-W', '--name', 'n', 'hang']);
  const queued = await project.asProcess(['start', '--queue', '--name', 'other', 'quick'], {
    cwd: treeOf(project, 'n'),
  });
  expect(queued).toMatchObject({ code: 0 });
  expect(await project.show('other')).toMatchObject({ status: 'pending' });
  writeFileSync(treeOf(project, 'go'), '');
  // Whoever waits with `zwarm wait` would have it begin.
  await eventually('it has begun', async () => (await project.show('other')).status === 'completed');
  expect(await project.show('n')).toMatchObject({ status: 'running' });
});

test('kill ends a setup with all that it started', async () => {
  const project = await createFilled('setup = "sleep 86400 & sleep 86400"');
  const { stdout } = await project.asProcess(['start', '-W', '--name', 'n', 'quick']);
  const id = stdout.trim();
  await eventually('the setup runs', () => project.marked(id).length >= 4);
  expect(await project.asProcess(['kill', 'n'])).toMatchObject({ code: 0, stdout: `${id} killed\n` });
  await eventually('nothing is left', () => project.marked(id).length === 0);
  expect(await project.show('n')).toMatchObject({ status: 'killed' });
});

test('what the user has not trusted as it is never runs', async () => {
  const project = await createFilled('setup = "echo > ran"');
  const ran = (name: string) => existsSync(join(treeOf(project, name), 'ran'));
  place(tomlOf(project), '[worktree]\nsetup = "echo  > ran"\n');
  const said = await project.asProcess(['start', '-W', '--name', 'a', '--wait', 'quick']);
  expect(said).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`not set up, as you have not trusted ${tomlOf(project)} as it is now`),
  });
  expect(ran('a')).toBe(false);
  // Trusted while it waited, and changed before it began.
  await project.ok(['config', 'trust', '-y']);
  place(join(project.base, 'home/.config/zwarm/config.toml'), 'max_running = 1\n');
  const hanging = (await project.asProcess(['start', '--name', 'h', 'hang'])).stdout.trim();
  await project.asProcess(['start', '-W', '--queue', '--name', 'b', 'quick']);
  place(tomlOf(project), '[worktree]\nsetup = "echo   > ran"\n');
  await project.asProcess(['kill', hanging]);
  await project.asProcess(['wait', 'b']);
  expect([(await project.show('b')).status, ran('b')]).toEqual(['completed', false]);
  // What was changed here may be an agent's.
  await project.ok(['config', 'trust', '-y']);
  writeFileSync(join(project.directory, 'a'), 'changed');
  const changed = await project.asProcess([
    'start',
    '-W',
    '--with-changes',
    '--name',
    'c',
    '--wait',
    'quick',
  ]);
  expect(changed.stderr).toContain('not set up, as the setup could run what an agent has changed');
  expect(ran('c')).toBe(false);
  // A file in a tree is another file.
  const own = await project.asProcess(['start', '-W', '--name', 'd', '--wait', 'quick'], {
    cwd: treeOf(project, 'c'),
  });
  expect([own.code, ran('d')]).toEqual([0, true]);
  git(project.directory, 'status');
});
