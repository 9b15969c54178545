import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../../helpers/config.ts';
import { onScreen } from '../../helpers/context.ts';
import { git } from '../../helpers/git.ts';
import { createShellProject, eventually, type Project, SHELL_AGENT } from '../../helpers/project.ts';
import { commitFiles, createRepository } from '../../helpers/repository.ts';
import { snapshot } from '../../helpers/tree.ts';

const ID = 'treeaaaaaa';

/** Where the worktrees of a project are. */
const treesOf = ({ base, directory }: Project) => join(base, `${directory.slice(base.length + 1)}.worktrees`);

/** What git knows of its worktrees and branches, and of the checkout. */
const knownTo = (directory: string): string =>
  ['worktree list --porcelain', 'for-each-ref', 'status --porcelain']
    .map((line) => git(directory, ...line.split(' ')))
    .join('\n--\n');

test('an agent works in a tree of its own, on a branch from the commit of the checkout', async () => {
  const project = createRepository({ 'a.txt': 'one\n', 'sub/b.txt': 'b\n' });
  const { directory, base } = project;
  const head = git(directory, 'rev-parse', 'HEAD');
  writeFileSync(join(directory, 'a.txt'), 'changed\n');
  writeFileSync(join(directory, 'new.txt'), '');
  const before = git(directory, 'status', '--porcelain');
  const task = 'run pwd > here; cat a.txt >> here';
  const started = await project.zwarm(['start', '-W', '--name', 'fix', '--wait', task], { newId: ID });
  const path = join(base, 'project.worktrees/fix');
  expect({ ...started, stderr: started.stderr.replaceAll(base, '/base') }).toEqual({
    code: 0,
    stdout: 'done\n',
    stderr:
      `zwarm: its worktree: /base/project.worktrees/fix, branch zwarm/fix, from main at ${head.slice(0, 10)}\n` +
      'zwarm: not in it, of /base/project: 1 changed and 1 untracked files\n',
  });
  expect(readFileSync(join(path, 'here'), 'utf8')).toBe(`${path}\none\n`);
  expect(git(directory, 'status', '--porcelain')).toBe(before);
  expect(git(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/zwarm/fix');
  expect(await project.show('fix')).toMatchObject({
    id: ID,
    working_dir: path,
    worktree: { path, branch: 'zwarm/fix', base: head },
  });
  expect(git(directory, 'worktree', 'list', '--porcelain')).toContain(`locked zwarm session ${ID}`);
  // The next turn goes on there, and the session is found from there.
  await project.ok(['inject', 'fix', '--wait', 'run echo two > here']);
  expect(readFileSync(join(path, 'here'), 'utf8')).toBe('two\n');
  expect(await project.ok(['ls', '-q', '--here'], { cwd: path })).toBe(ID);
  expect(await project.$('show fix')).toMatch(/branch +zwarm\/fix/);
});

test('without a name the tree has the id; a base can be chosen; a directory below is told to the agent', async () => {
  const project = createRepository({ 'sub/b.txt': 'old\n' });
  const { directory } = project;
  git(directory, 'tag', 'v1');
  commitFiles(directory, { 'sub/b.txt': 'new\n' });
  const argv = ['start', '-W', '--base', 'v1', '--branch', 'try/it', '-C', 'sub', '--wait', 'quick'];
  const { stderr } = await project.zwarm(argv, { newId: ID });
  const path = join(treesOf(project), ID);
  expect(stderr).toMatch(/, branch try\/it, from [0-9a-f]{10}\n$/);
  expect(readFileSync(join(path, 'sub/b.txt'), 'utf8')).toBe('old\n');
  expect(await project.show(ID)).toMatchObject({ working_dir: path, work_in: 'sub' });
  expect(project.runs()[0]?.stdin).toContain('sub');
});

test('what cannot be is refused, and nothing has changed then', async () => {
  const project = createRepository();
  const { directory } = project;
  git(directory, 'branch', 'zwarm');
  git(directory, 'branch', 'a/b');
  mkdirSync(join(treesOf(project), 'mine'), { recursive: true });
  const before = knownTo(directory);
  const refusals: string[] = [];
  for (const line of [
    'start -W x',
    'start -W --branch a x',
    'start -W --branch a/b/c x',
    'start -W --branch a/b x',
    'start -W --branch a..b x',
    'start -W --branch -f x',
    'start -W --branch @{-1} x',
    'start -W --branch ok --base nothing x',
    'start -W --branch ok --base --help x',
    'start -W --branch ok --name mine x',
    'start --branch ok x',
  ]) {
    const said = await project.$(
      line.replace('--branch -f', '--branch=-f').replace('--base --help', '--base=--help'),
      { newId: ID },
    );
    refusals.push(said.replaceAll(project.base, '/base'));
  }
  expect(refusals.join('')).toMatchInlineSnapshot(`
    "zwarm: the branch zwarm/treeaaaaaa cannot be made while there is a branch zwarm
    hint: choose another one: --branch NAME
    [exit 4]
    zwarm: the branch a cannot be made while there is a branch a/b
    hint: choose another one: --branch NAME
    [exit 4]
    zwarm: the branch a/b/c cannot be made while there is a branch a/b
    hint: choose another one: --branch NAME
    [exit 4]
    zwarm: there is a branch a/b already
    hint: choose another one: --branch NAME
    [exit 4]
    zwarm: "a..b" is not a name for a branch
    hint: write it as git does: --branch fix/login
    [exit 2]
    zwarm: "-f" is not a name for a branch
    hint: write it as git does: --branch fix/login
    [exit 2]
    zwarm: "@{-1}" is not a name for a branch
    hint: write it as git does: --branch fix/login
    [exit 2]
    zwarm: "nothing" is not a commit in /base/project
    hint: name a branch, a tag or a commit: --base main
    [exit 2]
    zwarm: "--help" is not a commit in /base/project
    hint: name a branch, a tag or a commit: --base main
    [exit 2]
    zwarm: there is already something at /base/project.worktrees/mine
    hint: choose another --name, or remove it if nobody needs it
    [exit 4]
    zwarm: --branch, --base and --with-changes are of a tree of its own
    hint: add -W, or leave them out
    [exit 2]
    "
  `);
  expect(knownTo(directory)).toBe(before);
  expect(await project.list()).toEqual([]);
  expect(readdirSync(treesOf(project))).toEqual(['mine']);
  expect(existsSync(project.store())).toBe(false);
});

test('a worktree needs a repository with a commit', async () => {
  const project = createShellProject();
  expect((await project.$('start -W x')).replaceAll(project.base, '/base')).toMatchInlineSnapshot(`
    "zwarm: a worktree needs a git repository, and /base/project is in none
    hint: run \`git init\` there, or leave -W out
    [exit 2]
    "
  `);
  git(project.directory, 'init', '-q', '-b', 'main');
  expect((await project.$('start -W x')).replaceAll(project.base, '/base')).toMatchInlineSnapshot(`
    "zwarm: /base/project has no commit yet
    hint: make one first: git commit --allow-empty
    [exit 2]
    "
  `);
  expect(existsSync(project.store())).toBe(false);
});

test('a linked worktree, a detached HEAD, a bare repository and names with spaces and umlauts work', async () => {
  const project = createRepository({ 'ä b.txt': 'x\n' }, 'mein projekt ü');
  const { base, directory } = project;
  git(directory, 'checkout', '-q', '--detach');
  await project.ok(['start', '-W', '--name', 'one', '--wait', 'quick']);
  const one = join(base, 'mein projekt ü.worktrees/one');
  expect(readdirSync(one).sort()).toEqual(['.git', 'ä b.txt']);
  expect(await project.show('one')).toMatchObject({ worktree: { branch: 'zwarm/one' } });
  // From there another one: at its commit, beside it.
  commitFiles(one, { 'c.txt': 'c' });
  await project.ok(['start', '-W', '--name', 'two', '--wait', 'quick'], { cwd: one });
  expect(readdirSync(join(one, '../two'))).toContain('c.txt');

  // Nothing around the bare one is a repository for the agent.
  rmSync(join(base, '.git'));
  const bare = join(base, 'bare.git');
  git(base, 'clone', '-q', '--bare', directory, bare);
  await project.ok(['start', '-W', '--name', 'three', '--wait', 'quick'], { cwd: bare });
  expect(readdirSync(join(base, 'bare.worktrees/three')).sort()).toEqual(['.git', 'ä b.txt']);
});

test('of a bare repository in .bare with checkouts beside it, trees lie beside them all', async () => {
  const project = createRepository();
  const { base, directory } = project;
  const app = join(base, 'app');
  mkdirSync(app);
  git(app, 'clone', '-q', '--bare', directory, '.bare');
  writeFileSync(join(app, '.git'), 'gitdir: ./.bare\n');
  git(app, 'worktree', 'add', '-q', 'main', 'main');
  const head = git(app, 'rev-parse', 'HEAD');
  for (const [name, cwd] of [
    ['one', app],
    ['two', app],
    ['three', join(app, 'main')],
  ] as const) {
    const { code, stderr } = await project.zwarm(['start', '-W', '--name', name, '--wait', 'quick'], { cwd });
    const path = join(base, 'app.worktrees', name);
    expect([code, stderr]).toEqual([
      0,
      `zwarm: its worktree: ${path}, branch zwarm/${name}, from main at ${head.slice(0, 10)}\n`,
    ]);
    expect(readdirSync(path).sort()).toEqual(['.git', 'a.txt']);
  }
  expect(
    (await project.$('start -W --with-changes x', { cwd: app })).replaceAll(base, '/base'),
  ).toMatchInlineSnapshot(`
      "zwarm: a bare repository has no changes that could come along
      hint: leave --with-changes or --base out
      [exit 2]
      "
    `);
});

test('with --with-changes git says the same of the tree as of the checkout', async () => {
  const files = {
    'a b': '1',
    ü: '1',
    gone: '',
    'to-dir': '',
    'dir/x': '',
    'dir/y': '',
    'deep/er/z': '',
    staged: '',
    both: '',
  };
  const project = createRepository({ ...files, '.gitignore': 'ignored\n', tool: '', un: '' });
  const { directory } = project;
  const at = (path: string) => join(directory, path);
  git(directory, 'update-index', '--split-index');
  for (const path of ['a b', 'ü', 'new', 'ignored', 'staged', 'both', '.git-not'])
    writeFileSync(at(path), 'mine');
  git(directory, 'add', 'staged', 'both');
  writeFileSync(at('both'), 'again');
  writeFileSync(at('intended'), 'i');
  git(directory, 'add', '-N', 'intended');
  rmSync(at('gone'));
  git(directory, 'rm', '-q', '--cached', 'deep/er/z');
  // A file becomes a directory, and a directory a link that leads out.
  rmSync(at('to-dir'));
  mkdirSync(at('to-dir'));
  writeFileSync(at('to-dir/in'), 'in');
  rmSync(at('dir'), { recursive: true });
  mkdirSync(join(project.base, 'secret'));
  writeFileSync(join(project.base, 'secret/x'), 'secret');
  symlinkSync('../secret', at('dir'));
  symlinkSync('nowhere', at('dangling'));
  chmodSync(at('tool'), 0o755);
  writeFileSync(Buffer.from(`${directory}/latin\xe9\nline`, 'latin1'), 'l');
  execFileSync('mkfifo', [at('pipe')]);
  // A repository in it, which git does not enter; its configuration names a program.
  mkdirSync(at('nested'));
  git(at('nested'), 'init', '-q');
  commitFiles(at('nested'), { n: 'n' });
  git(at('nested'), 'config', 'core.fsmonitor', `touch ${project.base}/ran`);
  const status = (where: string) => git(where, 'status', '--porcelain', '-z', '--untracked-files=all');
  const before = status(directory);

  const argv = ['start', '-W', '--name', 'w', '--with-changes', '--wait', 'quick'];
  const { code, stderr } = await project.zwarm(argv);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/\nzwarm: with, of \S+: \d+ changed and \d+ untracked files\n$/),
  ]);
  expect(existsSync(join(project.base, 'ran'))).toBe(false);
  const path = join(treesOf(project), 'w');
  expect(before.length).toBeGreaterThan(100);
  expect(status(path)).toBe(before);
  expect(git(path, 'diff', 'HEAD')).toBe(git(directory, 'diff', 'HEAD'));
  expect(git(path, 'diff', '--cached')).toBe(git(directory, 'diff', '--cached'));
  expect(readFileSync(join(path, 'to-dir/in'), 'utf8')).toBe('in');
  expect(readlinkSync(join(path, 'dir'))).toBe('../secret');
  expect(readdirSync(path)).not.toContain('ignored');
  expect(readdirSync(path)).not.toContain('pipe');
  expect(readFileSync(join(path, 'nested/n'), 'utf8')).toBe('n');
  expect(status(directory)).toBe(before);
});

test('changes come along to their own commit alone, also in the middle of a merge', async () => {
  const project = createRepository({ a: '1\n' });
  const { directory } = project;
  git(directory, 'checkout', '-q', '-b', 'other');
  commitFiles(directory, { a: '2\n' });
  git(directory, 'checkout', '-q', 'main');
  commitFiles(directory, { a: '3\n' });
  expect(() => git(directory, 'merge', 'other')).toThrow();
  await project.ok(['start', '-W', '--name', 'm', '--with-changes', '--wait', 'quick']);
  expect(git(join(treesOf(project), 'm'), 'status', '--porcelain')).toBe('UU a');
  expect(
    (await project.$('start -W --with-changes --base other x')).replaceAll(project.base, '/base'),
  ).toMatchInlineSnapshot(`
    "zwarm: what is changed in /base/project is changed from another commit
    hint: leave --with-changes or --base out
    [exit 2]
    "
  `);
  expect((await project.list()).length).toBe(1);
});

test('a sparse checkout stays sparse', async () => {
  const project = createRepository({ 'in/a': '', 'in/c': '', 'out/b': '' });
  git(project.directory, 'sparse-checkout', 'set', 'in');
  await project.ok(['start', '-W', '--name', 's', '--wait', 'quick']);
  expect(readdirSync(join(treesOf(project), 's')).sort()).toEqual(['.git', 'in']);
  // By patterns in place of directories.
  git(project.directory, 'sparse-checkout', 'set', '--no-cone', '/in/a');
  await project.ok(['start', '-W', '--name', 'p', '--wait', 'quick']);
  expect(readdirSync(join(treesOf(project), 'p/in'))).toEqual(['a']);
});

test('a .git file that leads where an agent may have written is refused', async () => {
  const forged = createRepository();
  const to = join(forged.base, 'elsewhere');
  renameSync(join(forged.directory, '.git'), to);
  writeFileSync(join(forged.directory, '.git'), `gitdir: ${to}\n`);
  expect((await forged.$('start -W x')).replaceAll(forged.base, '/base')).toMatchInlineSnapshot(`
    "zwarm: the git directory of /base/project lies elsewhere (a submodule, say), and an agent could have written where
    hint: start it in the main checkout of its repository, or without -W
    [exit 5]
    "
  `);
});

test('where an agent can write beside the project, the tree is in the state directory', async () => {
  const project = createRepository({ a: '' }, 'outer/app');
  const { base, directory, state } = project;
  await project.ok(['start', '--wait', '--agent-arg=--skip-git-repo-check', 'quick'], {
    cwd: join(base, 'outer'),
  });
  const said = await project.$('start -W --wait quick', { newId: ID });
  expect(said).toContain(`its worktree: ${state}/trees/app-`);
  const { working_dir } = await project.show(ID);
  expect(working_dir).toMatch(new RegExp(`^${state}/trees/app-[0-9a-f]{16}/${ID}$`));
  expect(readdirSync(working_dir ?? '')).toContain('a');
  expect(readdirSync(join(base, 'outer'))).not.toContain('app.worktrees');
  // An agent above it may have written what git runs.
  git(directory, 'config', 'filter.x.smudge', `touch ${join(base, 'ran')}; cat`);
  commitFiles(directory, { '.gitattributes': '* filter=x\n', a: '' });
  expect((await project.$('start -W x')).replaceAll(base, '/base')).toMatchInlineSnapshot(`
    "zwarm: /base/outer/app lies in /base/outer, where an agent could have written filter.x.smudge, which git would obey
    hint: move the repository out of there, or start without -W
    [exit 5]
    "
  `);
  expect(existsSync(join(base, 'ran'))).toBe(false);
});

test('in a tree of its own an agent cannot change a program that lies in the checkout', async () => {
  const project = createRepository({ 'a.txt': 'one\n' });
  const { directory } = project;
  place(join(directory, 'tools/codex'), readFileSync(SHELL_AGENT));
  chmodSync(join(directory, 'tools/codex'), 0o755);
  project.env['ZWARM_CODEX_BIN'] = join(directory, 'tools/codex');
  const before = knownTo(directory);
  for (const args of ['', `-W --agent-arg=--add-dir=${directory}`]) {
    const refused = await project.$(`start ${args} quick`);
    expect(refused).toMatch(/^zwarm: the agent could change the program of codex: .*\n.*\n\[exit 5\]\n$/);
  }
  expect(knownTo(directory)).toBe(before);
  expect(await project.ok(['start', '-W', '--name', 'mine', '--wait', 'quick'])).toBe('done');
  expect(await project.ok(['inject', 'mine', '--wait', 'more'])).toBe('done');
  expect(await project.ok(['fork', 'mine', '-W', '--wait', 'more'])).toBe('done');
});

test('of several starts with one name or one branch, one has it, and nothing is left of the others', async () => {
  const project = createRepository();
  const start = (i: number) =>
    project.asProcess(['start', '-W', '--branch', 'b', ...(i % 2 ? ['--name', 'n'] : []), 'quick']);
  const ended = await Promise.all([0, 1, 2, 3, 4, 5].map(start));
  expect(ended.filter(({ code }) => code === 0)).toHaveLength(1);
  const trees = readdirSync(treesOf(project));
  expect(trees).toHaveLength(1);
  expect(readdirSync(join(project.store(), 'trees'))).toHaveLength(1);
  expect(git(project.directory, 'branch', '--list', '--format=%(refname:short)')).toBe('b\nmain');
  expect(git(project.directory, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(2);
});

type When = 'before' | 'during' | 'after';

/** Starts a session in a tree `n`, and has the git that it calls end it: before, while or after that does what it is asked for. */
function startKilledAt({ base, env, asProcess }: Project, at: string, when: When) {
  const bin = join(base, 'bin');
  mkdirSync(bin, { recursive: true });
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
case " $* " in *" $KILL_AT "*) 
  [ "$KILL_WHEN" = after ] && "${real}" "$@"
  [ "$KILL_WHEN" = during ] && "${real}" "$@" < /dev/null > /dev/null 2>&1 &
  kill -9 $PPID; exit 1 ;; esac
exec "${real}" "$@"
`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const killing = { PATH: `${bin}:${env['PATH']}`, KILL_AT: at, KILL_WHEN: when };
  return asProcess(['start', '-W', '--name', 'n', 'quick'], { env: killing });
}

/** What the doctor says of files that killed commands have left. */
async function leftoversOf(project: Project): Promise<string> {
  return (await leftoverCheck(project)).message;
}

async function leftoverCheck(project: Project): Promise<{ message: string; hint: string | null }> {
  const { checks } = JSON.parse((await project.zwarm(['doctor', '--json'])).stdout);
  return checks.find(({ name }: { name: string }) => name === 'leftover-files');
}

test('what a start had made when it was killed has a name, and clean takes it back', async () => {
  const project = createRepository({ 'a.txt': 'one\n' });
  const { directory } = project;
  const before = knownTo(directory);
  for (const at of ['update-ref', 'worktree add'])
    for (const when of ['before', 'after'] as const) {
      const { signal } = await startKilledAt(project, at, when);
      expect(signal).toBe('SIGKILL');
      expect(await leftoversOf(project)).toBe(`1 worktree half made, such as ${join(treesOf(project), 'n')}`);
      await project.ok(['clean', '-y']);
      expect(knownTo(directory)).toBe(before);
      expect(readdirSync(treesOf(project))).toEqual([]);
      expect(readdirSync(join(project.store(), 'trees'))).toEqual([]);
    }
  await project.ok(['start', '-W', '--name', 'n', '--wait', 'quick']);
});

test('nothing is taken back while git goes on making it', async () => {
  const project = createRepository({ 'a.txt': 'one\n' });
  const { base, directory } = project;
  const before = knownTo(directory);
  const path = join(treesOf(project), 'n');
  commitFiles(directory, { '.gitattributes': 'a.txt filter=slow\n' });
  git(directory, 'config', 'filter.slow.smudge', `until test -e '${base}/go'; do sleep 0.05; done; cat`);
  await startKilledAt(project, 'worktree add', 'during');
  const lock = join(directory, '.git/worktrees/n/index.lock');
  await eventually('git makes files', () => existsSync(lock));
  await project.ok(['clean', '-y']);
  expect(existsSync(path)).toBe(true);
  expect(await leftoversOf(project)).toBe(`1 worktree half made, such as ${path}`);
  expect(await project.$('start -W --name n --branch b x')).toContain('there is already something at');
  writeFileSync(join(base, 'go'), '');
  await eventually('git has ended', () => !existsSync(lock));
  await eventually('it is taken back', async () => {
    await project.ok(['clean', '-y']);
    return !existsSync(path);
  });
  git(directory, 'reset', '-q', '--hard', 'HEAD~1');
  expect(knownTo(directory)).toBe(before);
});

/** What was made since at the place of a tree that a killed start was about to make. */
const OTHERS: readonly [string, When, (project: Project, path: string) => unknown][] = [
  [
    'another session',
    'before',
    async (project, path) => {
      await project.ok(['start', '-W', '--name', 'n', '--wait', 'run echo > mine']);
      expect(existsSync(join(path, 'mine'))).toBe(true);
    },
  ],
  [
    'the user, on its branch',
    'after',
    ({ directory }, path) => git(directory, 'worktree', 'add', '-q', path, 'zwarm/n'),
  ],
  [
    'the user, in another repository',
    'before',
    ({ base }, path) => {
      git(base, 'init', '-q', 'other');
      commitFiles(join(base, 'other'), { other: '' });
      git(join(base, 'other'), 'worktree', 'add', '-q', path);
    },
  ],
  [
    'the user, without git',
    'before',
    (_, path) => {
      mkdirSync(path);
      writeFileSync(join(path, 'mine'), '');
    },
  ],
];

test.each(OTHERS)('what %s has made since where a start was killed stays', async (_, when, make) => {
  const project = createRepository({ 'a.txt': 'one\n' });
  const { directory } = project;
  const path = join(treesOf(project), 'n');
  await startKilledAt(project, 'update-ref', when);
  rmdirSync(path);
  await make(project, path);
  const [known, files] = [knownTo(directory), snapshot(path)];
  await project.ok(['clean', '-y']);
  expect([knownTo(directory), snapshot(path)]).toEqual([known, files]);
  expect(await leftoversOf(project)).toBe('none');
});

test('a tree that nobody can tell from another one stays, and has a name', async () => {
  const project = createRepository({ 'a.txt': 'one\n' });
  const path = join(treesOf(project), 'n');
  await startKilledAt(project, 'worktree add', 'after');
  // As if git had still been making it while it was removed.
  rmSync(join(project.directory, '.git/worktrees'), { recursive: true });
  const files = snapshot(path);
  await project.ok(['clean', '-y']);
  expect(snapshot(path)).toEqual(files);
  expect(await leftoverCheck(project)).toMatchObject({
    message: `1 worktree half made, such as ${path}`,
    hint: 'they take only space; zwarm clean removes them, but not what somebody else has put in their place',
  });
});

test('fork -W copies the files as they are, and both go on by themselves', async () => {
  const project = createRepository();
  project.env['FAKE_AGENT_THREADS'] = '1';
  await project.ok(['start', '-W', '--name', 'p', '--wait', 'run echo two > a.txt; echo n > new.txt']);
  const parent = join(treesOf(project), 'p');
  const said = await project.zwarm(['fork', '-W', 'p', '--wait', 'run cat a.txt new.txt > all.txt'], {
    newId: ID,
  });
  expect(said.stderr).toContain(`, branch zwarm/${ID}, from zwarm/p at `);
  expect(said.stderr).toContain(`with, of ${parent}: 1 changed and 1 untracked files`);
  const path = join(treesOf(project), ID);
  expect(readFileSync(join(path, 'all.txt'), 'utf8')).toBe('two\nn\n');
  expect(existsSync(join(parent, 'all.txt'))).toBe(false);
  expect(await project.show(ID)).toMatchObject({
    working_dir: path,
    worktree: { path, branch: `zwarm/${ID}` },
  });
  // Without a message it waits there for one.
  const waiting = await project.ok(['fork', '-W', '--branch', 'mine', 'p']);
  expect(await project.show(waiting)).toMatchObject({ worktree: { branch: 'mine' } });
  await project.ok(['inject', waiting, '--wait', 'run pwd > here']);
  expect(readFileSync(join(treesOf(project), waiting, 'here'), 'utf8')).toContain(waiting);
  // Without -W it works in the same directory.
  const same = await project.zwarm(['fork', 'p']);
  const { id } = await project.show('p');
  expect(same.stderr).toBe(
    `zwarm: it works in the tree of ${id}, too: ${parent}; with -W it would have a copy of its own\n`,
  );
  expect(await project.show(same.stdout.trim())).toMatchObject({ working_dir: parent });
  expect((await project.zwarm(['fork', 'p', '-C', project.directory])).stderr).toBe('');
});

test('submodules are filled from what the user has of them, without a network', async () => {
  const project = createRepository({ a: '' });
  const { base, directory } = project;
  const local = ['-c', 'protocol.file.allow=always'];
  const make = (name: string) => {
    const path = join(base, name);
    mkdirSync(path);
    git(path, 'init', '-q', '-b', 'main');
    commitFiles(path, { [name]: name });
    return path;
  };
  const [inner, outer, other] = [make('inner'), make('outer'), make('other')];
  git(outer, ...local, 'submodule', 'add', '-q', '--name', 'deep=one', inner, 'in');
  git(outer, 'commit', '-q', '-m', 'm');
  git(directory, ...local, 'submodule', 'add', '-q', '--name', 'lib/o', outer, 'o');
  git(directory, ...local, 'submodule', 'add', '-q', other, 'unused');
  git(directory, ...local, 'submodule', 'update', '--init', '--recursive', '-q');
  git(directory, 'commit', '-q', '-m', 'm');
  git(directory, 'submodule', 'deinit', '-q', 'unused');
  rmSync(join(directory, '.git/modules/unused'), { recursive: true });
  const config = readFileSync(join(directory, '.git/config'), 'utf8');
  // Nothing can be fetched any more.
  for (const path of [inner, outer, other]) renameSync(path, `${path}.gone`);
  await project.ok(['start', '-W', '--name', 'n', '--wait', 'quick']);
  const path = join(treesOf(project), 'n');
  expect(readFileSync(join(path, 'o/outer'), 'utf8')).toBe('outer');
  expect(readFileSync(join(path, 'o/in/inner'), 'utf8')).toBe('inner');
  expect(readdirSync(join(path, 'unused'))).toEqual([]);
  expect(git(join(path, 'o'), 'config', 'remote.origin.url')).toBe(outer);
  expect(git(path, 'status', '--porcelain')).toBe('');
  expect(readFileSync(join(directory, '.git/config'), 'utf8')).toBe(config);
});

test('a submodule that cannot be filled stays empty, and that is said', async () => {
  const project = createRepository({ a: '' });
  const { base, directory } = project;
  for (const name of ['gone', 'inside']) {
    mkdirSync(join(base, name));
    git(join(base, name), 'init', '-q', '-b', 'main');
    commitFiles(join(base, name), { [name]: name });
    // Its repository lies in its place; that of the other one is where git puts it today.
    if (name === 'inside') git(directory, 'clone', '-q', join(base, name), name);
    git(directory, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(base, name), name);
  }
  commitFiles(join(directory, 'gone'), { more: 'more' });
  commitFiles(directory, {});
  // A commit that nobody has any more.
  git(join(directory, 'gone'), 'reset', '-q', '--hard', 'HEAD~1');
  git(join(directory, 'gone'), 'reflog', 'expire', '--expire=now', '--all');
  git(join(directory, 'gone'), 'gc', '-q', '--prune=now');
  const { stderr } = await project.zwarm(['start', '-W', '--name', 'n', '--with-changes', 'quick']);
  expect(
    // The words of git come last, and are its own.
    stderr
      .split('\n')
      .slice(1)
      .join('\n')
      .replaceAll(base, '/base')
      .replace(/(git submodule in \S+:) .*/, '$1 …'),
  ).toMatchInlineSnapshot(`
    "zwarm: /base/project.worktrees/n/gone stays empty: git submodule in /base/project.worktrees/n: …
    zwarm: /base/project.worktrees/n/inside stays empty: the repository of /base/project/inside lies in it; see: git submodule absorbgitdirs
    zwarm: not in it, of /base/project: what is changed in submodules
    "
  `);
  const path = join(treesOf(project), 'n');
  expect([readdirSync(join(path, 'gone')), readdirSync(join(path, 'inside'))]).toEqual([[], []]);
  expect(git(path, 'status', '--porcelain')).toBe('');
  await project.ok(['wait', 'n']);
  await project.ok(['rm', 'n']);
  expect(existsSync(path)).toBe(false);
});

test('the user can name another directory for the trees, and not one that an agent can exchange', async () => {
  const project = createRepository();
  const { base } = project;
  const config = join(base, 'home/.config/zwarm/config.toml');
  place(config, 'worktree_dir = "~/my trees"\n');
  await project.ok(['start', '-W', '--name', 'n', '--wait', 'quick']);
  const { working_dir } = await project.show('n');
  expect(working_dir?.replace(/[0-9a-f]{16}/, 'KEY')).toBe(join(base, 'home/my trees/project-KEY/n'));
  place(config, `worktree_dir = "${project.env['TMPDIR']}/t"\n`);
  expect(
    (await project.$('start -W x')).replaceAll(base, '/base').replace(/[0-9a-f]{16}/, 'KEY'),
  ).toMatchInlineSnapshot(`
    "zwarm: no worktree can be made in /base/tmp/t/project-KEY: an agent that works in /base/tmp could put another directory in its place
    hint: choose another directory: zwarm config set worktree_dir DIR
    [exit 5]
    "
  `);
  place(config, '');
  place(join(project.directory, 'zwarm.toml'), `worktree_dir = "${base}/home"\n`);
  expect(await project.$('start -W --name m x')).toContain(`its worktree: ${treesOf(project)}/m`);
});

test('two agents that write in one directory are told, and marked while both run', async () => {
  const project = createRepository();
  const first = await project.begin('hang');
  const warning = `zwarm: warning: the agent of ${first} writes in the same directory; with -W it would have a tree of its own\n`;
  const second = await project.zwarm(['start', 'hang'], { newId: ID });
  expect(second.stderr).toBe(warning);
  // Neither one that only reads, nor one in a tree of its own.
  for (const how of [
    ['-s', 'read-only'],
    ['-W', '-q'],
  ])
    expect((await project.zwarm(['start', ...how, 'hang'])).stderr).toBe('');
  const shared = async () => {
    const rows = await project.list();
    return rows.flatMap(({ id, shared_with: others }) => (others.length > 0 ? [[id, ...others]] : [])).sort();
  };
  expect(await shared()).toEqual(
    [
      [first, ID],
      [ID, first],
    ].sort(),
  );
  expect(
    (await onScreen(project, ['ls'], { tty: true, columns: 100, env: { NO_COLOR: '1' } })).stdout,
  ).toMatch(/running !(.|\n)*! another agent/);
  expect(await project.$(`show ${ID}`)).toContain(`${first} writes there, too`);
  // One that was killed without a word is not there any more.
  project.lose(first);
  await eventually('it is gone', () => project.marked(first).length === 0);
  expect(await shared()).toEqual([]);
  await project.ok(['kill', ID]);
  await project.settled(ID);
  expect((await project.zwarm(['start', 'quick'])).stderr).toBe('');
});
