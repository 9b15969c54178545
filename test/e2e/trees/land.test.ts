import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lookUp } from '../../../src/process/find-program.ts';
import { git, ME } from '../../helpers/git.ts';
import { eventually, type Project, SHELL_AGENT } from '../../helpers/project.ts';
import { commitFiles, createRepository } from '../../helpers/repository.ts';

const ID = 'treeaaaaaa';

/** A repository, and a session with a tree of its own whose agent has run a shell script there. */
async function landable(script: string, files?: Readonly<Record<string, string>>): Promise<Project> {
  const project = createRepository(files);
  Object.assign(project.env, ME);
  const argv = ['start', '-W', '--name', 'fix', '--wait', `run ${script}`];
  const { code, stderr } = await project.zwarm(argv, { newId: ID });
  expect([code, stderr]).toEqual([0, expect.stringContaining('its worktree')]);
  return project;
}

const treeOf = ({ directory }: Project): string => join(dirname(directory), 'project.worktrees/fix');

/** All that git shows of a repository, and the files. */
const all = ({ directory }: Project): string =>
  ['for-each-ref', 'status --porcelain', 'diff HEAD', 'worktree list --porcelain']
    .map((line) => git(directory, ...line.split(' ')))
    .join('\n--\n');

test('what an agent changed lands as one commit of the user, whose message says where it is from', async () => {
  const project = await landable('echo two >> a.txt; echo new > b.txt; rm c', { 'a.txt': 'one\n', c: '' });
  const { directory } = project;
  const { code, stdout, stderr } = await project.zwarm(['land', 'fix']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trim()).toBe(git(directory, 'rev-parse', 'main'));
  expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(git(directory, 'status', '--porcelain')).toBe('');
  expect(git(directory, 'log', '-1', '--format=%an <%ae>%n%B')).toBe(
    `Me <me@example.org>\nrun echo two >> a.txt; echo new > b.txt; rm c\n\ndone\n\nZwarm-Session: ${ID}\nZwarm-Agent: codex`,
  );
  expect(git(directory, 'fsck', '--no-dangling')).toBe('');
  // Again: nothing is new.
  expect(await project.zwarm(['land', 'fix', '--json'])).toMatchObject({ code: 0 });
  expect(JSON.parse(await project.ok(['land', 'fix', '--json']))).toMatchObject({
    onto: 'main',
    commit: null,
  });
});

test('the next turn lands on top, also where the first landing was changed since', async () => {
  const project = await landable('echo two > a.txt');
  await project.ok(['land', 'fix', '-q']);
  commitFiles(project.directory, { 'a.txt': 'three\n' });
  await project.ok(['inject', 'fix', '--wait', 'run echo b > b.txt']);
  await project.ok(['land', 'fix', '-q']);
  expect(readFileSync(join(project.directory, 'a.txt'), 'utf8')).toBe('three\n');
  expect(readFileSync(join(project.directory, 'b.txt'), 'utf8')).toBe('b\n');
});

test('a conflict is exit 4 with the files named, and nothing has changed', async () => {
  const project = await landable('echo two > a.txt; echo b > "b ü"');
  commitFiles(project.directory, { 'a.txt': 'three\n', 'b ü': 'other\n' });
  const before = all(project);
  for (const way of [[], ['--commits'], ['--rebase'], ['--dry-run']])
    expect(await project.zwarm(['land', 'fix', ...way])).toEqual({
      code: 4,
      stdout: '',
      stderr: `zwarm: main has changed the same lines as fix: a.txt, b ü; nothing has changed
hint: have its agent merge them: zwarm land fix --ask
`,
    });
  expect(all(project)).toBe(before);
  expect(existsSync(join(project.store(), `sessions/${ID}/landed.json`))).toBe(false);
});

test('--dry-run changes nothing; a checkout with changes of its own in the same file is left as it is', async () => {
  const project = await landable('echo two > a.txt');
  const before = all(project);
  const planned = JSON.parse(await project.ok(['land', 'fix', '--dry-run', '--json']));
  expect(planned).toMatchObject({ id: ID, onto: 'main', files: 1, added: 1, removed: 1, left_out: [] });
  expect(all(project)).toBe(before);
  writeFileSync(join(project.directory, 'a.txt'), 'mine\n');
  const mine = all(project);
  expect(await project.zwarm(['land', 'fix'])).toMatchObject({ code: 4, stdout: '' });
  expect(all(project)).toBe(mine);
  // What the user has changed elsewhere stays.
  writeFileSync(join(project.directory, 'a.txt'), 'one\n');
  writeFileSync(join(project.directory, 'other'), 'mine\n');
  await project.ok(['land', 'fix']);
  expect(git(project.directory, 'status', '--porcelain')).toBe('?? other');
});

test('a check that fails keeps it from landing; it sees the merged files, and leaves nothing', async () => {
  const project = await landable('echo two > b.txt');
  const { directory } = project;
  commitFiles(directory, { c: 'c\n' });
  const before = all(project);
  const failed = await project.asProcess(['land', 'fix', '--check', 'test -e c && test -e b.txt && exit 3']);
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  expect(failed.stderr).toContain('the check of the merged files failed: nothing has changed');
  expect(all(project)).toBe(before);
  const check = 'echo looking; test -e c && test -e b.txt';
  const landed = await project.asProcess(['land', 'fix', '--check', check]);
  expect(landed).toMatchObject({
    code: 0,
    stdout: `${git(directory, 'rev-parse', 'main')}\n`,
    stderr: 'looking\n',
  });
  expect(readdirSync(join(project.store(), '../../trees'))).toEqual([]);
  expect(git(directory, 'worktree', 'prune', '-v', '-n')).toBe('');
});

test('it lands on a branch that nobody has checked out, and on one that another checkout has', async () => {
  const project = await landable('echo two > b.txt');
  const { directory } = project;
  git(directory, 'branch', 'next');
  await project.ok(['land', 'fix', '--onto', 'next', '-q']);
  expect(git(directory, 'show', 'next:b.txt')).toBe('two');
  expect(git(directory, 'status', '--porcelain')).toBe('');
  const other = `${directory}-other`;
  git(directory, 'worktree', 'add', '-q', other, '-b', 'other');
  await project.ok(['land', 'fix', '--onto', 'other', '-q']);
  expect(readFileSync(join(other, 'b.txt'), 'utf8')).toBe('two\n');
  expect(git(other, 'status', '--porcelain')).toBe('');
});

test('what cannot land is refused: no tree, no branch, its own branch, while it runs', async () => {
  const project = await landable('true');
  const plain = (await project.ok(['start', '-q', '--wait', 'quick'])).trim();
  const codes: (readonly [string, number, RegExp])[] = [
    [`land ${plain}`, 4, /no tree of its own: what it changed is in/],
    ['land fix --onto zwarm/fix', 2, /the branch of the tree itself/],
    ['land fix --onto nothing', 2, /there is no branch nothing/],
    ['land fix --onto main~0', 2, /there is no branch main~0/],
    ['land fix --squash --rebase', 2, /cannot be used with/],
  ];
  for (const [line, code, why] of codes) {
    const ended = await project.zwarm(line.split(' '));
    expect([line, ended.code]).toEqual([line, code]);
    expect(ended.stderr).toMatch(why);
  }
  const id = await project.ok(['start', '-W', '-q', '--name', 'busy', 'hang']);
  expect(await project.zwarm(['land', 'busy'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('still running'),
  });
  await project.ok(['kill', id]);
});

test('a submodule stays the commit that it was, and its files do not land as files', async () => {
  const project = createRepository();
  Object.assign(project.env, ME);
  const { directory } = project;
  const other = join(dirname(directory), 'library');
  mkdirSync(other);
  git(other, 'init', '-q', '-b', 'main');
  commitFiles(other, { x: 'x\n' });
  git(directory, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'lib');
  commitFiles(directory, {});
  const module = git(directory, 'rev-parse', 'HEAD:lib');
  const started = await project.zwarm(['start', '-W', '--name', 'fix', '--wait', 'run echo b > b.txt'], {
    newId: ID,
  });
  if (started.code !== 0) return expect(started.stderr).toContain('submodule');
  await project.ok(['land', 'fix', '-q']);
  expect(git(directory, 'rev-parse', 'main:lib')).toBe(module);
  expect(git(directory, 'show', '--stat', '--format=', 'main')).toMatch(/^b.txt \| 1 \+\n 1 file changed/);
});

/** A git whose first merge stands still once it has read the index, and before it locks that, until there is a file `go`. */
function withSlowMerge({ base, env }: Project): (name: string) => string {
  const directory = join(base, 'slow');
  const path = (name: string): string => join(directory, name);
  mkdirSync(directory);
  // It is there that git asks a monitor which files have changed.
  const monitor = `#!/bin/sh
mkdir ${path('waits')} && while ! [ -e ${path('go')} ]; do sleep 0.02; done
printf 'all\\0/\\0'
`;
  const wrapper = `#!/bin/sh
echo "$*" >> ${path('calls')}
case "$*" in *' merge '*) monitor=${path('monitor')} ;; *) monitor=false ;; esac
for arg do
  shift
  [ "$arg" != core.fsmonitor=false ] || arg=core.fsmonitor=$monitor
  set -- "$@" "$arg"
done
exec ${lookUp('git', env['PATH'] ?? '')} "$@"
`;
  for (const [name, text] of Object.entries({ git: wrapper, monitor }))
    writeFileSync(path(name), text, { mode: 0o755 });
  env['PATH'] = `${directory}:${env['PATH']}`;
  return path;
}

test('two at once: both land, one after the other, however slow git is', async () => {
  const project = await landable('echo two > b.txt');
  await project.ok(['start', '-W', '--name', 'more', '--wait', 'run echo c > c.txt']);
  const path = withSlowMerge(project);
  const ended: string[] = [];
  const land = async (name: string) => {
    const { code, stderr } = await project.asProcess(['land', name, '-q']);
    ended.push(name);
    return [code, stderr];
  };
  const first = land('fix');
  await eventually('the first one merges', () => existsSync(path('waits')));
  writeFileSync(path('calls'), '');
  const second = land('more');
  const calls = (): string => readFileSync(path('calls'), 'utf8');
  await eventually('the second one has made its commit', () => calls().includes(' pack-objects '));
  // That it does not go on cannot be awaited.
  await sleep(1000);
  expect(ended).toEqual([]);
  expect(calls()).not.toContain(' merge ');
  writeFileSync(path('go'), '');
  expect([await first, await second]).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(git(project.directory, 'log', '--format=%s', 'main').split('\n').length).toBe(3);
  expect(git(project.directory, 'status', '--porcelain')).toBe('');
  expect(readdirSync(project.directory)).toEqual(expect.arrayContaining(['b.txt', 'c.txt']));
});

test('a branch that the tree’s own agent has moved, by commits of its own, lands with them or without', async () => {
  const commit = 'git add -A && GIT_AUTHOR_NAME=a git commit -qm';
  const project = await landable(`echo 1 > b.txt && ${commit} first && echo 2 > b.txt`);
  await project.ok(['land', 'fix', '-q', '--rebase']);
  expect(git(project.directory, 'log', '--format=%an %s', 'main').split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^Me run echo/),
    'a first',
  ]);
  rmSync(treeOf(project), { recursive: true });
  expect(await project.zwarm(['land', 'fix'])).toMatchObject({ code: 1 });
});

/** What an agent does that replaces each conflict by both sides, one below the other. */
const BOTH_SIDES = "sed -i -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d'";

/** An agent that runs the script `merge` of its project for the message that asks it to merge, and is the shell agent else. */
function withMerger({ base, env }: Project, script: string): void {
  const agent = join(base, 'merger');
  writeFileSync(
    agent,
    `#!/bin/sh
[ "$1" = --version ] && exec ${SHELL_AGENT} "$@"
prompt=$(cat)
case $prompt in
  'While you worked'*)
    printf '%s\n' "$prompt" > ${base}/asked
    { ${script}
    } > ${base}/said 2>&1
    prompt=quick ;;
esac
printf '%s' "$prompt" | ${SHELL_AGENT} "$@"
`,
    { mode: 0o755 },
  );
  env['ZWARM_CODEX_BIN'] = agent;
}

test('--ask has the agent merge the files that conflict, and lands what it has made of them', async () => {
  const project = await landable('echo two > a.txt; echo b > b; rm gone', {
    'a.txt': 'one\n',
    gone: 'x\n',
    other: 'x\n',
  });
  const { directory, base } = project;
  commitFiles(directory, { 'a.txt': 'three\n', gone: 'changed\n', other: 'y\n' });
  withMerger(project, `${BOTH_SIDES} a.txt; cat other; rm gone`);
  const { code, stdout, stderr } = await project.zwarm(['land', 'fix', '--ask']);
  expect([code, stderr]).toEqual([0, `zwarm: codex was asked to merge main into ${ID}: a.txt, gone\n`]);
  expect(stdout.trim()).toBe(git(directory, 'rev-parse', 'main'));
  expect(readFileSync(join(base, 'asked'), 'utf8')).toMatchInlineSnapshot(`
    "While you worked, the branch main was changed in the same places as your files. What it has was just merged into your files; what could not be merged by itself is left to you.

    These files have both versions in them, between lines that begin with <<<<<<<, ======= and >>>>>>>: first what main has, then what you had.

    - a.txt

    Edit them so that both changes do what they were meant to do, and take these lines out.

    Each of these files was deleted on one side, or is not text, so that only one version is there. Decide what is to become of it.

    - gone

    Change nothing else, and leave staging, committing and merging by git to me. Then say in a few words how you have merged them.
    "
  `);
  // What needed nobody was merged already.
  expect(readFileSync(join(base, 'said'), 'utf8')).toBe('y\n');
  expect(git(directory, 'show', 'main:a.txt')).toBe('three\ntwo');
  expect(git(directory, 'diff', '--stat', 'HEAD~1', 'HEAD', '--', 'other')).toBe('');
  expect(git(directory, 'ls-tree', '--name-only', 'main')).toBe('a.txt\nb\nother');
  expect(git(directory, 'status', '--porcelain')).toBe('');
  expect(JSON.parse(await project.ok(['land', 'fix', '--json']))).toMatchObject({ commit: null });
  await project.ok(['inject', 'fix', '--wait', 'run echo c > c']);
  commitFiles(directory, { 'a.txt': 'four\n' });
  await project.ok(['land', 'fix', '-q']);
  expect(git(directory, 'show', 'main:a.txt')).toBe('four');
});

test('markers that an agent leaves never land; it can be asked again, also after the branch has moved', async () => {
  const project = await landable('echo two > a.txt');
  const { directory } = project;
  commitFiles(directory, { 'a.txt': 'three\n' });
  withMerger(project, 'true');
  const before = all(project);
  expect(await project.$('land fix --ask')).toMatchInlineSnapshot(`
    "zwarm: codex was asked to merge main into treeaaaaaa: a.txt
    zwarm: fix has left markers of the merge in: a.txt; nothing has changed
    hint: ask its agent again: zwarm land fix --ask; or edit them in its tree
    [exit 4]
    "
  `);
  for (const line of ['land fix', 'land fix --dry-run', 'apply fix'])
    expect(await project.$(line)).toContain('has left markers of the merge in: a.txt');
  expect(all(project)).toBe(before);
  commitFiles(directory, { b: 'b\n' });
  withMerger(project, `${BOTH_SIDES} a.txt`);
  expect(await project.zwarm(['land', 'fix', '--ask', '--commits'])).toMatchObject({ code: 0 });
  expect(git(directory, 'show', 'main:a.txt')).toBe('three\ntwo');
  expect(git(directory, 'show', 'main:b')).toBe('b');
});

test('--ask moves nothing where a file of the branch is in the way, and asks nobody about the user’s own edits', async () => {
  const project = await landable('echo two > a.txt; echo data > .gitignore; echo mine > data');
  const { directory } = project;
  withMerger(project, 'true');
  writeFileSync(join(directory, 'a.txt'), 'mine\n');
  expect(await project.$('land fix --ask')).toContain('the checkout of main was left as it is');
  writeFileSync(join(directory, 'a.txt'), 'three\n');
  git(directory, 'commit', '-qam', 'c');
  writeFileSync(join(directory, 'data'), 'theirs\n');
  git(directory, 'add', '-f', 'data');
  git(directory, 'commit', '-qm', 'c');
  expect(await project.$('land fix --ask')).toContain('nothing was moved: data');
  expect(readFileSync(join(treeOf(project), 'a.txt'), 'utf8')).toBe('two\n');
  expect(existsSync(join(project.base, 'asked'))).toBe(false);
});

test('an agent that fails to merge is said to have; nothing has landed', async () => {
  const project = await landable('echo two > a.txt');
  commitFiles(project.directory, { 'a.txt': 'three\n' });
  withMerger(project, 'exit 3');
  const before = all(project);
  const { code, stderr } = await project.zwarm(['land', 'fix', '--ask']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('failed before it had merged: nothing has landed'),
  ]);
  expect(all(project)).toBe(before);
});

test('it lands whatever the path of the project is', async () => {
  const project = createRepository({ 'a.txt': 'one\n' }, 'a:b "c"');
  Object.assign(project.env, ME);
  await project.ok(['start', '-W', '--name', 'fix', '--wait', 'run echo two > a.txt']);
  await project.ok(['land', 'fix', '-q']);
  expect(readFileSync(join(project.directory, 'a.txt'), 'utf8')).toBe('two\n');
  await project.ok(['inject', 'fix', '--wait', 'run echo b > b.txt']);
  await project.ok(['apply', 'fix']);
  expect(readFileSync(join(project.directory, 'b.txt'), 'utf8')).toBe('b\n');
});
