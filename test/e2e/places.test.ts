import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { git } from '../helpers/git.ts';
import { installForAll } from '../helpers/ordinary-project.ts';
import {
  createProject,
  createShellProject,
  type Project,
  repositoryFile,
  runProgram,
  ZWARM,
} from '../helpers/project.ts';

test('the eight verbs work from a subdirectory of a path with spaces and other letters', async () => {
  const project = createShellProject("mein Projekt, l'été 日本 🎉 $(touch pwn)");
  const cwd = join(project.directory, 'src', "it's deep");
  fs.mkdirSync(cwd, { recursive: true });
  const above = await project.ended();
  const $ = (line: string) => project.$(line, { cwd });
  const id = (await $('start below --name below')).trim();
  expect(await $('wait below')).toBe(`${id} completed\n`);
  expect(await $(`inject ${id} --wait again`)).toBe('done\n');
  const detail = { id, status: 'completed', turn: 2, working_dir: cwd };
  expect(await project.show(id.slice(0, 6))).toMatchObject(detail);
  expect(project.runs().map((run) => run.cwd)).toEqual([project.directory, cwd, cwd]);
  expect(await $('ls -q')).toBe(`${id}\n${above}\n`);
  expect(await $('ls -q --here')).toBe(`${id}\n`);
  const hanging = (await $('start hang')).trim();
  expect(await $('kill @last --grace 10s')).toBe(`${hanging} killed\n`);
  expect(await $(`rm ${hanging}`)).toBe(`${hanging}\n`);
  expect((await project.ok(['clean', '--days', '0'], { cwd })).split('\n')).toHaveLength(2);
  expect(await project.list()).toEqual([]);
  expect(fs.readdirSync(join(project.directory, 'src'), { recursive: true })).toEqual(["it's deep"]);
});

test('-C says where the agent works, not where its session is kept', async () => {
  const project = createShellProject();
  const elsewhere = join(project.base, 'elsewhere');
  fs.mkdirSync(elsewhere);
  fs.symlinkSync(elsewhere, join(project.base, 'link'));
  await project.ok(['inject', await project.ended(['-C', '../link', 'x']), '--wait', 'again']);
  expect(project.runs().map((run) => run.cwd)).toEqual([elsewhere, elsewhere]);
  expect(fs.readdirSync(elsewhere)).toEqual([]);
});

test('in a directory that was deleted nothing is started, least of all somewhere else', async () => {
  const project = createShellProject();
  const script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"';
  const temporary = join(project.base, 'tmp');
  const env = { ...project.env, ZWARM_DIR: join(project.base, 'state'), TMPDIR: temporary };
  const place = { cwd: project.directory, env };
  const zwarm = (...args: string[]) =>
    runProgram('/bin/sh', ['-c', script, 'sh', process.execPath, ZWARM, ...args], place);
  expect(await zwarm('start', 'x')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'zwarm: the current directory was deleted\nhint: change to one that exists\n',
  });
  expect(await zwarm('demo')).toMatchObject({ code: 1, stdout: '' });
  expect(fs.readdirSync(temporary)).toEqual([]);
  expect(await zwarm('--version')).toMatchObject({ code: 0 });
  expect(project.runs()).toEqual([]);
});

const window = ({ directory }: Project): string => join(directory, '.zwarm');
const link = (project: Project): string => join(window(project), 'sessions');
const sessions = (project: Project): string => join(project.store(), 'sessions');

function createRepository(): Project {
  const project = createProject('p');
  git(project.directory, 'init', '-q');
  return project;
}

test.each([true, false])('start makes a window that git does not see, in git: %s', async (inGit) => {
  const project = inGit ? createRepository() : createProject('p');
  const id = await project.start(['hello']);
  expect(fs.readlinkSync(link(project))).toBe(sessions(project));
  expect(fs.existsSync(join(link(project), id, 'session.json'))).toBe(true);
  expect(fs.readFileSync(join(window(project), '.gitignore'), 'utf8')).toBe('*\n');
  expect(fs.lstatSync(window(project)).mode & 0o777).toBe(0o700);
  if (!inGit) return;
  git(project.directory, 'add', '-A', '.');
  expect(git(project.directory, 'status', '--porcelain')).toBe('');
  expect(fs.readdirSync(join(project.directory, '.git')).filter((name) => name.startsWith('.'))).toEqual([]);
  // Without its window nothing is lost, and the next start makes it again.
  git(project.directory, 'clean', '-qfdx');
  fs.rmSync(window(project), { recursive: true, force: true });
  expect(await project.$('ls -q')).toBe(`${id}\n`);
  await project.start(['again']);
  expect(fs.readlinkSync(link(project))).toBe(sessions(project));
});

test('the window belongs to the checkout in which start ran', async () => {
  const project = createRepository();
  const tree = join(project.base, 'tree');
  git(project.directory, 'commit', '-q', '--allow-empty', '-m', 'x');
  git(project.directory, 'worktree', 'add', '-q', tree);
  await project.start(['hello'], { cwd: tree });
  expect(fs.readlinkSync(join(tree, '.zwarm', 'sessions'))).toBe(sessions(project));
  expect(fs.existsSync(window(project))).toBe(false);
});

test.each<[string, (project: Project) => void]>([
  ['a link that leads elsewhere', (project) => fs.symlinkSync('/nowhere', link(project))],
  ['an empty directory', (project) => fs.mkdirSync(link(project))],
  ['nothing', () => undefined],
])('in an existing .zwarm %s becomes the link', async (_, arrange) => {
  const project = createProject('p');
  fs.mkdirSync(window(project));
  fs.writeFileSync(join(window(project), 'mine'), 'x');
  arrange(project);
  await project.start(['hello']);
  expect(fs.readlinkSync(link(project))).toBe(sessions(project));
  expect(fs.readFileSync(join(window(project), 'mine'), 'utf8')).toBe('x');
});

test.each<[string, (project: Project) => void]>([
  ['a file', (project) => fs.writeFileSync(window(project), 'mine')],
  ['a link to another directory', (project) => fs.symlinkSync(join(project.base, 'tmp'), window(project))],
  ['sessions of an older zwarm', (project) => fs.mkdirSync(join(link(project), 'abc'), { recursive: true })],
])('%s in the place of .zwarm stays as it is, and is reported once', async (_, arrange) => {
  const project = createProject('p');
  arrange(project);
  const looked = () => execFileSync('ls', ['-laR', '--time-style=+', window(project)], { encoding: 'utf8' });
  const before = looked();
  expect(await project.$('start --wait hello')).toContain(
    `zwarm: warning: ${window(project)} is not a link of zwarm's and stays as it is; the sessions are in ${sessions(project)}\n`,
  );
  expect(await project.$('start hello')).toMatch(/^\w{10}\n$/);
  expect(looked()).toBe(before);
});

test('whoever exchanges .zwarm while it is made gains nothing', () => {
  const { base, directory: cwd } = createProject('p');
  const foreign = join(base, 'foreign');
  fs.mkdirSync(join(foreign, 'sessions'), { recursive: true });
  fs.writeFileSync(join(foreign, 'precious'), 'mine');
  const swap =
    'while :; do mkdir .zwarm; mv .zwarm aside; ln -s "$F" .zwarm; rm .zwarm; rm -rf aside; done 2>/dev/null';
  const swapper = spawn('sh', ['-c', swap], { cwd, env: { ...process.env, F: foreign } });
  const maker = `i=0; while [ $i -lt 60 ]; do sh "$0" "$1" /target; i=$((i + 1)); done 2>/dev/null`;
  try {
    execFileSync('sh', ['-c', `${maker}; :`, repositoryFile('bin/make-window.sh'), cwd], { cwd });
  } finally {
    swapper.kill('SIGKILL');
  }
  expect(fs.readdirSync(foreign).sort()).toEqual(['precious', 'sessions']);
  expect(fs.readdirSync(join(foreign, 'sessions'))).toEqual([]);
});

test('no window is made in another directory than that of the checkout', () => {
  const { base, directory: cwd } = createProject('p');
  const maker = () =>
    execFileSync('sh', [repositoryFile('bin/make-window.sh'), join(base, 'p\n'), '/t'], { cwd });
  expect(maker).toThrow();
  expect(fs.readdirSync(cwd)).toEqual([]);
});

test('of many that make a window at once none finds it missing afterwards', () => {
  const { directory: cwd } = createProject('p');
  const make = '(sh "$0" "$PWD" /target || readlink .zwarm/sessions || echo missing) 2>/dev/null';
  const round = `for k in 1 2 3 4 5 6 7 8; do ${make} & done; wait`;
  const rounds = `for r in $(seq 20); do (mkdir $r && cd $r && ${round}); done`;
  const told = execFileSync('sh', ['-c', rounds, repositoryFile('bin/make-window.sh')], { cwd });
  expect(`${told}`).not.toContain('missing');
});

testAsRoot('two users in one checkout have sessions of their own', async () => {
  const project = createRepository();
  const mine = await project.start(['-a', 'demo', 'hello']);
  const HOME = join(project.base, 'other');
  fs.mkdirSync(HOME);
  fs.chownSync(HOME, 65_534, 65_534);
  const program = join(installForAll(project.base), 'bin/zwarm.js');
  const place = { cwd: project.directory, env: { ...project.env, HOME }, uid: 65_534 };
  const asOther = (...args: string[]) => runProgram(process.execPath, [program, ...args], place);
  expect(await asOther('ls')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const started = await asOther('start', '-a', 'demo', '--wait', 'hello [[seconds=0]]');
  expect(started).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('.zwarm belongs to root (uid 0)'),
  });
  expect((await asOther('ls', '--all', '-q')).stdout).toMatch(/^\w{10}\n$/);
  expect(await project.ok(['ls', '--all', '-q'])).toBe(mine);
  expect(fs.readlinkSync(link(project))).toBe(sessions(project));
});

test('what makes the window comes from the system, whatever an agent has put on the PATH of its user', async () => {
  const project = createShellProject();
  const bin = join(project.directory, 'node_modules', '.bin');
  fs.mkdirSync(bin, { recursive: true });
  const told = join(project.base, 'told');
  for (const name of ['mkdir', 'rmdir', 'readlink', 'ln', 'rm', 'pwd', 'sh'])
    fs.writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${told}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${project.env['PATH']}` };
  await project.ended(['quick'], { env });
  const window = fs.readlinkSync(join(project.directory, '.zwarm', 'sessions'));
  expect([window, fs.existsSync(told)]).toEqual([join(project.store(), 'sessions'), false]);
});

test('a .gitignore that is there in the window stays as it is', async () => {
  for (const make of [
    (path: string) => fs.writeFileSync(path, 'mine\n'),
    (path: string) => fs.symlinkSync('/nowhere', path),
  ]) {
    const project = createShellProject();
    const path = join(project.directory, '.zwarm', '.gitignore');
    fs.mkdirSync(join(path, '..'));
    make(path);
    const before = fs.lstatSync(path).ino;
    await project.ended();
    expect(fs.lstatSync(path).ino).toBe(before);
    expect(fs.existsSync('/nowhere')).toBe(false);
    expect(fs.existsSync(join(project.directory, '.zwarm', 'sessions'))).toBe(true);
  }
});
