import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { lookUp } from '../../../src/process/find-program.ts';
import { snapshotOf } from '../../helpers/files.ts';
import { git } from '../../helpers/git.ts';
import { eventually, type Project, processesBelow } from '../../helpers/project.ts';
import { commitFiles, createRepository } from '../../helpers/repository.ts';
import { snapshot } from '../../helpers/tree.ts';

const DAY_MS = 86_400_000;

const treesOf = ({ base }: Project): string => join(base, 'project.worktrees');

/** A session of that name in a tree of its own, in which its agent ran a command. */
async function inTree(
  project: Project,
  name: string,
  command = 'true',
): Promise<{ id: string; path: string }> {
  const id = await project.ended(['-W', '--name', name, `run ${command}`]);
  return { id, path: join(treesOf(project), name) };
}

const branches = (project: Project): readonly string[] =>
  git(project.directory, 'branch', '--format=%(refname:short)').split('\n');

/** What a path of this test is called in what zwarm printed. */
const plain = (project: Project, text: string): string =>
  text.replaceAll(project.base, '/base').replaceAll(/\d+(\.\d)? k?B/g, 'N kB');

/** What of zwarm the repository knows besides branches. */
const refsOfZwarm = ({ directory }: Project): string =>
  git(directory, 'for-each-ref', '--format=%(refname)', 'refs/zwarm', 'refs/zwarm-kept');

test('rm deletes a tree in which nothing exists alone, with its branch, its pin and its ports', async () => {
  const project = createRepository();
  const { path } = await inTree(project, 'n');
  expect(refsOfZwarm(project)).toMatch(/^refs\/zwarm\/\w+$/);
  expect(await project.zwarm(['rm', 'n'])).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(path)).toBe(false);
  expect(branches(project)).toEqual(['main']);
  expect(refsOfZwarm(project)).toBe('');
  expect(git(project.directory, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(readdirSync(join(project.state, 'ports'))).toEqual([]);
  expect(readdirSync(join(project.store(), 'trees'))).toEqual([]);
  // All of it is free again.
  await inTree(project, 'n');
});

test('rm puts what exists only in a tree into the trash, and restore brings all of it back', async () => {
  const project = createRepository({ 'a.txt': 'one\n', '.gitignore': '.env\n' });
  const { id, path } = await inTree(project, 'n', 'echo two > a.txt; echo new > new.txt; echo S=1 > .env');
  commitFiles(path, {});
  writeFileSync(join(path, 'a.txt'), 'three\n');
  git(path, 'add', 'a.txt');
  writeFileSync(join(path, 'a.txt'), 'four\n');
  const of = (at: string) => ({
    status: git(at, 'status', '--porcelain'),
    head: git(at, 'rev-parse', 'HEAD'),
  });
  const [before, files] = [of(path), snapshot(path)];
  const said = await project.zwarm(['rm', 'n', '--json']);
  const moved = { removed: true, bytes: 0, worktree: null, trashed: true, left: [] };
  expect(JSON.parse(said.stdout)).toEqual([{ id, ...moved }]);
  expect(said.stderr).toBe(
    `zwarm: in the trash for seven days (1 uncommitted file; 1 commit only on zwarm/n; ignored: .env); to bring it back: zwarm restore ${id}\n`,
  );
  expect(existsSync(path)).toBe(false);
  expect(await project.list()).toEqual([]);
  // git knows it where it is, and nobody removes it by accident.
  const there = join(treesOf(project), '.trash', id);
  expect(of(there)).toEqual(before);
  git(project.directory, 'worktree', 'prune', '--expire=now');
  expect(await project.$('clean --days 0 -y')).toBe('');
  expect(await project.ok(['complete', '--', 'restore', ''])).toContain('n\t1 uncommitted file');

  expect(await project.ok(['restore', 'n', '--json']).then(JSON.parse)).toEqual({
    id,
    name: 'n',
    path,
    branch: 'zwarm/n',
  });
  expect(snapshot(path)).toEqual(files);
  expect(of(path)).toEqual(before);
  expect(git(project.directory, 'worktree', 'list', '--porcelain')).toContain(`locked zwarm session ${id}`);
  expect(await project.show('n')).toMatchObject({ id, working_dir: path, status: 'completed' });
  expect(await project.$(`restore ${id}`)).toContain('hint: the trash is empty\n[exit 3]');
  // It goes on, and is removed, as if nothing had been.
  await project.ok(['inject', 'n', '--wait', 'run echo more > more.txt']);
  await project.settled(id, 2);
  expect(await project.$('rm n')).toContain('2 uncommitted files');
});

test('a tree that nobody could bring back stays: clean keeps it, and rm gives it to the user', async () => {
  const project = createRepository({ 'a.txt': 'one\n' });
  const { id, path } = await inTree(project, 'n');
  commitFiles(path, { 'a.txt': 'two\n' });
  commitFiles(project.directory, { 'a.txt': 'three\n' });
  expect(() => git(path, 'merge', '-q', 'main')).toThrow();
  const said = await project.$('clean --days 0 -y');
  expect(plain(project, said)).toBe(
    `zwarm: kept: ${id} n /base/project.worktrees/n (N kB): a merge is not finished\n[exit 1]\n`,
  );
  expect(await project.list()).toHaveLength(1);
  expect(plain(project, await project.$('rm n'))).toBe(
    `${id}\nzwarm: its worktree stays (a merge is not finished); when nobody needs it: git worktree remove --force /base/project.worktrees/n\n`,
  );
  expect(await project.list()).toEqual([]);
  git(project.directory, 'worktree', 'remove', '--force', path);
});

test('clean plans three groups; without a terminal it acts on what is safe, with -y on what is saved first, too', async () => {
  const project = createRepository({ 'a.txt': 'one\n', '.gitignore': 'big\n' });
  const safe = await inTree(project, 'safe', 'head -c 2000000 /dev/zero > big');
  const saved = await inTree(project, 'saved', 'echo new > new.txt');
  const kept = await inTree(project, 'kept');
  git(kept.path, 'update-ref', 'refs/worktree/mine', 'HEAD');
  const bare = await project.ended(['quick']);
  const plan = JSON.parse(await project.ok(['clean', '--days', '0', '--dry-run', '--json']));
  const idsOf = (items: { id: string }[]) => items.map(({ id }) => id).sort();
  expect(idsOf(plan.safe)).toEqual([safe.id, bare].sort());
  expect(plan.safe.find(({ id }: { id: string }) => id === safe.id)).toMatchObject({
    kind: 'session',
    name: 'safe',
    path: safe.path,
    branch: 'zwarm/safe',
    reasons: [],
    ignored: ['big'],
  });
  expect(plan.saved_first).toMatchObject([{ id: saved.id, reasons: ['1 uncommitted file'] }]);
  expect(plan.kept).toMatchObject([{ id: kept.id, reasons: ['references of its own: refs/worktree/mine'] }]);
  expect([...plan.removed].sort()).toEqual([safe.id, bare].sort());

  const shown = await project.$('clean --days 0 --dry-run', { tty: true, env: { NO_COLOR: '1' } });
  expect(plain(project, shown).slice(plain(project, shown).indexOf('safe:'))).toBe(
    [
      'safe: what is in it is elsewhere, too',
      `  ${safe.id} safe /base/project.worktrees/safe (2.0 MB)`,
      '    with what git ignores: big',
      'saved first: in the trash for seven days',
      `  ${saved.id} saved /base/project.worktrees/saved (N kB): 1 uncommitted file`,
      'kept',
      `  ${kept.id} kept /base/project.worktrees/kept (N kB): references of its own: refs/worktree/mine`,
      'would remove 3 sessions, 2.0 MB',
      '',
    ].join('\n'),
  );

  const first = await project.zwarm(['clean', '--days', '0']);
  expect(first.code).toBe(1);
  expect(first.stdout.trim().split('\n').sort()).toEqual([safe.id, bare].sort());
  expect([existsSync(safe.path), existsSync(saved.path), existsSync(kept.path)]).toEqual([false, true, true]);
  const second = JSON.parse((await project.zwarm(['clean', '--days', '0', '-y', '--json'])).stdout);
  expect(second).toMatchObject({ removed: [saved.id], trashed: [saved.id], worktrees: [], safe: [] });
  expect([existsSync(saved.path), existsSync(kept.path)]).toEqual([false, true]);
  expect(branches(project)).toEqual(['main', 'zwarm/kept', 'zwarm/saved']);
});

test('on a terminal the plan is shown once, and nothing happens unless one agrees', async () => {
  const project = createRepository();
  const { id, path } = await inTree(project, 'n', 'echo new > new.txt');
  const on = (answer: boolean) => project.$('clean --days 0', { tty: true, env: { NO_COLOR: '1' }, answer });
  const shown = (text: string) =>
    plain(project, text)
      .replaceAll(id, 'ID')
      .replaceAll(/ +\d+[smh] +/g, ' NOW ');
  expect(shown(await on(false))).toMatchInlineSnapshot(`
    "saved first: in the trash for seven days
      ID n /base/project.worktrees/n (N kB): 1 uncommitted file
    ID          NAME  AGO    SIZE  TASK
    ID  n NOW N kB  run echo new > new.txt
    Delete this session (N kB), with 1 tree into the trash?
    nothing was changed
    [exit 1]
    "
  `);
  expect(existsSync(path)).toBe(true);
  expect(shown(await on(true))).toMatchInlineSnapshot(`
    "ID
    saved first: in the trash for seven days
      ID n /base/project.worktrees/n (N kB): 1 uncommitted file
    ID          NAME  AGO    SIZE  TASK
    ID  n NOW N kB  run echo new > new.txt
    Delete this session (N kB), with 1 tree into the trash?
    zwarm: in the trash for seven days: ID; to bring one back: zwarm restore ID
    removed 1 session, N kB
    "
  `);
  expect(existsSync(path)).toBe(false);
});

test('what was brought onto a branch by land is safe, although it is not committed in its tree', async () => {
  const project = createRepository({ 'a.txt': 'one\n' });
  for (const name of ['EMAIL', 'NAME'])
    for (const who of ['AUTHOR', 'COMMITTER']) project.env[`GIT_${who}_${name}`] = 'a@example.org';
  const { id, path } = await inTree(project, 'n', 'echo two > a.txt');
  await project.ok(['land', 'n']);
  expect(readFileSync(join(project.directory, 'a.txt'), 'utf8')).toBe('two\n');
  const { safe } = JSON.parse(await project.ok(['clean', '--days', '0', '--dry-run', '--json']));
  expect(safe).toMatchObject([{ id }]);
  writeFileSync(join(path, 'a.txt'), 'three\n');
  const { saved_first } = JSON.parse(await project.ok(['clean', '--days', '0', '--dry-run', '--json']));
  expect(saved_first).toMatchObject([{ id }]);
});

test('after seven days the trash is emptied, and commits that no other branch has stay', async () => {
  const project = createRepository();
  const committed = await inTree(project, 'committed');
  commitFiles(committed.path, { 'b.txt': 'b\n' });
  const detached = await inTree(project, 'detached');
  git(detached.path, 'checkout', '-q', '--detach');
  commitFiles(detached.path, { 'c.txt': 'c\n' });
  const edited = await inTree(project, 'edited', 'echo new > new.txt');
  await project.ok(['rm', 'committed', 'detached', 'edited']);
  expect(await project.$('clean', { now: Date.now() + 6 * DAY_MS })).toBe('');
  expect(readdirSync(join(treesOf(project), '.trash'))).toHaveLength(3);
  const later = { now: Date.now() + 8 * DAY_MS };
  const plan = JSON.parse(await project.ok(['clean', '--dry-run', '--json'], later));
  expect(plan.safe.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`).sort()).toEqual(
    ['trash committed', 'trash detached', 'trash edited'],
  );
  await project.ok(['clean'], later);
  expect(readdirSync(join(treesOf(project), '.trash'))).toEqual([]);
  expect(readdirSync(join(project.store(), 'trash'))).toEqual([]);
  expect(branches(project)).toEqual(
    ['main', 'zwarm/committed', 'zwarm/detached', `zwarm/${detached.id}`].sort(),
  );
  expect(git(project.directory, 'show', `zwarm/${detached.id}:c.txt`)).toBe('c');
  expect(refsOfZwarm(project)).toBe('');
  expect(readdirSync(join(project.state, 'ports'))).toEqual([]);
  expect(await project.$(`restore ${edited.id}`)).toContain('[exit 3]');
  // A branch without commits of its own goes with the next one; one with them stays, which is no failure.
  expect(plain(project, await project.$('clean', later))).toContain(
    'kept: branch zwarm/committed: 1 commit only on it',
  );
  expect(branches(project)).not.toContain('zwarm/detached');
});

test('rm --now empties the trash: what is named, or all of it', async () => {
  const project = createRepository();
  const one = await inTree(project, 'one', 'echo > x');
  const two = await inTree(project, 'two', 'echo > x');
  const three = await inTree(project, 'three', 'echo > x');
  await project.ok(['rm', 'one', 'two', 'three']);
  expect(await project.$('rm --now nothing')).toMatch(/hint: in the trash: .*\(one\)(.|\n)*\[exit 3\]/);
  expect(await project.$('rm --now one')).toBe(`${one.id}\n`);
  expect((await project.$('rm --now')).trim().split('\n').sort()).toEqual([two.id, three.id].sort());
  expect(readdirSync(join(treesOf(project), '.trash'))).toEqual([]);
  expect(branches(project)).toEqual(['main']);
  expect(await project.$('rm')).toContain('[exit 2]');
});

test('restore takes no place of another tree, and no name of another session', async () => {
  const project = createRepository();
  const { id, path } = await inTree(project, 'n', 'echo new > new.txt');
  await project.ok(['rm', 'n']);
  await project.ended(['--name', 'n', 'quick']);
  mkdirSync(path);
  expect(plain(project, await project.$(`restore ${id.slice(0, 5)}`))).toBe(
    `zwarm: there is something at /base/project.worktrees/n\nhint: move that away; until then the files are in /base/project.worktrees/.trash/${id}\n[exit 4]\n`,
  );
  rmSync(path, { recursive: true });
  expect(await project.ok(['restore', id, '--json']).then(JSON.parse)).toMatchObject({ id, name: null });
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');
});

test('what a killed command has begun to move into the trash is moved there by the next one', async () => {
  const project = createRepository();
  const { id, path } = await inTree(project, 'n', 'echo new > new.txt');
  await project.ok(['rm', 'n']);
  const [there, store] = [join(treesOf(project), '.trash', id), project.store()];
  const steps = [
    () => renameSync(join(store, 'trash', id, 'sessions', id), join(store, 'sessions', id)),
    () => renameSync(join(store, 'trash', id, 'trees', `${id}.json`), join(store, 'trees', `${id}.json`)),
    () => writeFileSync(join(project.directory, '.git/worktrees/n/gitdir'), `${path}/.git\n`),
    () => renameSync(there, path),
  ];
  // As it was after each step, the last one first.
  for (let undone = 1; undone <= steps.length; undone += 1) {
    for (const step of steps.slice(0, undone)) step();
    await project.ok(['clean', '-y']);
    expect(existsSync(path)).toBe(false);
    expect(git(there, 'status', '--porcelain')).toBe('?? new.txt');
    expect(readdirSync(join(store, 'sessions'))).toEqual([]);
  }
  await project.ok(['restore', 'n']);
  expect(git(path, 'status', '--porcelain')).toBe('?? new.txt');
});

test('a tree in which a process stands, or another session works, stays', async () => {
  const project = createRepository();
  const { id, path } = await inTree(project, 'n');
  const sleeper = spawn('sleep', ['60'], { cwd: path, env: {}, stdio: 'ignore' });
  onTestFinished(() => void sleeper.kill());
  await eventually('it stands there', () => existsSync(`/proc/${sleeper.pid}/cwd`));
  expect(await project.$('clean --days 0 -y')).toContain(`a process stands in it (pid ${sleeper.pid})`);
  sleeper.kill();
  await eventually('it has ended', () => sleeper.exitCode !== null || sleeper.signalCode !== null);
  const other = await project.start(['hang'], { cwd: path });
  const said = await project.$('clean --days 0 -y');
  expect(said).toMatch(new RegExp(`session ${other} works in it|a process stands in it`));
  expect(await project.list()).toHaveLength(2);
  await project.ok(['kill', other]);
  await project.settled(other);
  expect((await project.ok(['clean', '--days', '0', '-y'])).split('\n')).toEqual([other, id]);
});

test('rm and clean wait for the git that looks at the files after a turn', async () => {
  const project = createRepository();
  const { base, env } = project;
  const at = (name: string) => join(base, `slow-${name}`);
  // git as it is, but for one that lists files once the agent has run.
  const wrapper = `#!/bin/sh
case "$*" in *' ls-files '*) if [ -e ${at('on')} ]; then
  echo > ${at('waits')}
  while ! [ -e ${at('go')} ]; do sleep 0.02; done
fi ;; esac
exec ${lookUp('git', env['PATH'] ?? '')} "$@"
`;
  mkdirSync(at('bin'));
  writeFileSync(join(at('bin'), 'git'), wrapper, { mode: 0o755 });
  env['PATH'] = `${at('bin')}:${env['PATH']}`;
  for (const verb of [
    ['rm', 'n'],
    ['clean', '--days', '0', '-y'],
  ]) {
    // As a process: in this one nothing settles.
    const script = `run until [ -e ${at('on')} ]; do sleep 0.02; done`;
    const id = (await project.asProcess(['start', '-q', '-W', '--name', 'n', script])).stdout.trim();
    // Else the end of the turn leaves the files to whoever asks for them.
    await eventually('the files before the turn are recorded', () => snapshotOf(project, id, 1, 'before'));
    writeFileSync(at('on'), '');
    await eventually('git looks at the files', () => existsSync(at('waits')));
    const removed = project.asProcess(verb);
    // That it goes on waiting cannot be awaited.
    await Promise.race([removed, sleep(1000)]);
    writeFileSync(at('go'), '');
    expect(await removed).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(treesOf(project), 'n'))).toBe(false);
    for (const name of ['on', 'waits', 'go']) rmSync(at(name));
  }
});

test('the tree of a session whose records were deleted by hand is in the plan, unless a start is making it', async () => {
  const project = createRepository();
  const { id, path } = await inTree(project, 'n');
  rmSync(join(project.store(), 'sessions', id), { recursive: true });
  const record = join(project.store(), 'trees', `${id}.json`);
  const tree = JSON.parse(readFileSync(record, 'utf8'));
  const plan = async () => JSON.parse(await project.ok(['clean', '--days', '0', '--dry-run', '--json'])).safe;
  // This process has made it, and lives.
  expect(await plan()).toEqual([]);
  writeFileSync(record, JSON.stringify({ ...tree, claimer: { ...tree.claimer, start: '1' } }));
  expect(await plan()).toMatchObject([{ kind: 'tree', id, path, branch: 'zwarm/n' }]);
  await project.ok(['clean', '--days', '0']);
  expect([existsSync(path), branches(project)]).toEqual([false, ['main']]);
  expect(readdirSync(join(project.store(), 'trees'))).toEqual([]);
});

test('the trees that Codex’s own program left are in the plan, and go into the trash', async () => {
  const project = createRepository();
  const home = join(project.base, 'home/.codex/worktrees');
  const add = (hash: string, name = 'project'): string => {
    const path = join(home, hash, name);
    mkdirSync(join(home, hash), { recursive: true });
    git(project.directory, 'worktree', 'add', '-q', '--detach', path);
    return path;
  };
  const [clean, dirty, foreign] = [add('a1b2', '.dotfiles'), add('c3d4'), join(home, 'e5f6/other')];
  commitFiles(dirty, { 'b.txt': 'b\n' });
  mkdirSync(foreign, { recursive: true });
  git(foreign, 'init', '-q');
  await project.ended(['quick']);
  const old = { now: Date.now() + 8 * DAY_MS };
  expect(JSON.parse(await project.ok(['clean', '--dry-run', '--json'])).safe).toEqual([]);
  const plan = JSON.parse(await project.ok(['clean', '--dry-run', '--json'], old));
  expect(plan.safe).toMatchObject([{ kind: 'session' }, { kind: 'tree', id: null, path: clean }]);
  expect(plan.saved_first).toMatchObject([
    { kind: 'tree', path: dirty, branch: null, reasons: ['1 commit on no branch'] },
  ]);
  const { trashed } = JSON.parse(await project.ok(['clean', '-y', '--json'], old));
  expect([existsSync(clean), existsSync(dirty), existsSync(foreign)]).toEqual([false, false, true]);
  expect(trashed).toHaveLength(1);
  await project.ok(['restore', trashed[0]]);
  expect(readFileSync(join(dirty, 'b.txt'), 'utf8')).toBe('b\n');
  expect(git(dirty, 'status', '--porcelain')).toBe('');
});

test('the tree of a session goes with it after its repository was moved', async () => {
  const project = createRepository();
  const { base, directory } = project;
  const { id, path: tree } = await inTree(project, 'n');
  const there = join(base, 'moved');
  renameSync(directory, there);
  git(there, 'worktree', 'repair', tree);
  // In its new place, and where it is kept for that.
  const started = await project.ok(['start', '--wait', '--json', '-W', '--name', 'o', 'quick'], {
    cwd: there,
  });
  const { id: other } = JSON.parse(started);
  await eventually('its runner has ended', () => processesBelow(base).length === 0);
  for (const one of [id, other])
    expect(await project.zwarm(['rm', one], { cwd: there })).toMatchObject({ code: 0 });
  expect([tree, join(base, 'moved.worktrees/o')].map((path) => existsSync(path))).toEqual([false, false]);
  expect(git(there, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe('main');
  expect(readdirSync(join(project.state, 'ports'))).toEqual([]);
});
