import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { installForAll } from '../helpers/install.ts';
import { createProject, type Project, repositoryFile, runProgram } from '../helpers/project.ts';

function git(project: Project, ...args: string[]): string {
  return execFileSync('git', args, { cwd: project.directory, encoding: 'utf8' });
}

const window = ({ directory }: Project): string => join(directory, '.zwarm');
const link = (project: Project): string => join(window(project), 'sessions');
const sessions = (project: Project): string => join(project.store(), 'sessions');

test.concurrent.for(['in git', 'without git'])(
  'start makes a window that git does not see, %s',
  async (where, t) => {
    const project = createProject('p', t.onTestFinished);
    if (where === 'in git') git(project, 'init', '-q');
    const id = await project.start(['hello']);
    expect(readlinkSync(link(project))).toBe(sessions(project));
    expect(existsSync(join(link(project), id, 'session.json'))).toBe(true);
    expect(readFileSync(join(window(project), '.gitignore'), 'utf8')).toBe('*\n');
    expect(lstatSync(window(project)).mode & 0o777).toBe(0o700);
    if (where === 'in git') {
      expect(git(project, 'status', '--porcelain')).toBe('');
      expect(readdirSync(join(project.directory, '.git')).filter((name) => name.startsWith('.'))).toEqual([]);
    }
  },
);

test.concurrent('the window belongs to the checkout in which start ran', async (t) => {
  const project = createProject('p', t.onTestFinished);
  git(project, 'init', '-q');
  git(project, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
  const tree = join(project.base, 'tree');
  git(project, 'worktree', 'add', '-q', tree);
  await project.start(['hello'], { cwd: tree });
  expect(readlinkSync(join(tree, '.zwarm', 'sessions'))).toBe(sessions(project));
  expect(existsSync(window(project))).toBe(false);
});

const REPLACED: readonly (readonly [what: string, arrange: (project: Project) => void])[] = [
  ['a link that leads elsewhere', (project) => symlinkSync('/nowhere', link(project))],
  ['an empty directory', (project) => mkdirSync(link(project))],
  ['nothing', () => undefined],
];

test.concurrent.for(REPLACED)('in an existing .zwarm %s becomes the link', async ([, arrange], t) => {
  const project = createProject('p', t.onTestFinished);
  mkdirSync(window(project));
  writeFileSync(join(window(project), 'mine'), 'x');
  arrange(project);
  await project.start(['hello']);
  expect(readlinkSync(link(project))).toBe(sessions(project));
  expect(readFileSync(join(window(project), 'mine'), 'utf8')).toBe('x');
});

const OCCUPIED: readonly (readonly [what: string, arrange: (project: Project) => void])[] = [
  ['a file', (project) => writeFileSync(window(project), 'mine')],
  [
    'a link to another directory',
    (project) => {
      mkdirSync(join(project.base, 'other'));
      symlinkSync(join(project.base, 'other'), window(project));
    },
  ],
  [
    'a directory with sessions of an older zwarm',
    (project) => {
      mkdirSync(join(link(project), 'abcdefghjk'), { recursive: true });
      writeFileSync(join(window(project), 'format'), '1\n');
    },
  ],
];

test.concurrent.for(OCCUPIED)(
  '%s in the place of .zwarm stays as it is, and is told once',
  async ([, arrange], t) => {
    const project = createProject('p', t.onTestFinished);
    arrange(project);
    const before = execFileSync('ls', ['-laR', '--time-style=+', window(project)], { encoding: 'utf8' });
    const first = await project.zwarm(['start', 'hello']);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain(
      `zwarm: warning: ${window(project)} is not a link of zwarm's and stays as it is; the sessions are in ${sessions(project)}\n`,
    );
    expect((await project.zwarm(['start', 'hello'])).stderr).toBe('');
    expect(execFileSync('ls', ['-laR', '--time-style=+', window(project)], { encoding: 'utf8' })).toBe(
      before,
    );
  },
);

test.concurrent('whoever exchanges .zwarm while it is made gains nothing', async (t) => {
  const project = createProject('p', t.onTestFinished);
  const foreign = join(project.base, 'foreign');
  mkdirSync(join(foreign, 'sessions'), { recursive: true });
  writeFileSync(join(foreign, 'precious'), 'mine');
  const swap =
    'while :; do mkdir .zwarm; mv .zwarm aside; ln -s "$F" .zwarm; rm .zwarm; rm -rf aside; done 2>/dev/null';
  const swapper = spawn('sh', ['-c', swap], { cwd: project.directory, env: { ...process.env, F: foreign } });
  t.onTestFinished(() => void swapper.kill('SIGKILL'));
  for (let round = 0; round < 60; round += 1) {
    try {
      execFileSync('/bin/sh', [repositoryFile('bin/make-window.sh'), project.directory, '/target'], {
        cwd: project.directory,
        stdio: 'ignore',
      });
    } catch {
      // It saw that it was not where it should be.
    }
  }
  expect(readdirSync(foreign).sort()).toEqual(['precious', 'sessions']);
  expect(readdirSync(join(foreign, 'sessions'))).toEqual([]);
});

test.concurrent('without its window nothing is lost, and the next start makes it again', async (t) => {
  const project = createProject('p', t.onTestFinished);
  git(project, 'init', '-q');
  const id = await project.start(['hello']);
  git(project, 'clean', '-qfdx');
  rmSync(window(project), { recursive: true, force: true });
  expect((await project.list()).map((row) => row.id)).toEqual([id]);
  await project.start(['again']);
  expect(readlinkSync(link(project))).toBe(sessions(project));
});

testAsRoot('two users in one checkout have sessions of their own', async () => {
  const project = createProject('p');
  git(project, 'init', '-q');
  const mine = await project.start(['-a', 'demo', 'hello']);
  const home = join(project.base, 'other');
  mkdirSync(home);
  chownSync(home, 65_534, 65_534);
  const program = join(installForAll(project.base), 'bin/zwarm.js');
  const env = { ...project.env, HOME: home };
  const asOther = (...args: string[]) =>
    runProgram(process.execPath, [program, ...args], { cwd: project.directory, env, uid: 65_534 });
  expect(await asOther('ls')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const started = await asOther('start', '-a', 'demo', '--wait', 'hello');
  expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining('is not a link of zwarm') });
  const theirs = (await asOther('ls', '--all', '-q')).stdout;
  expect(theirs).toMatch(/^\w{10}\n$/);
  expect(await project.ok(['ls', '--all', '-q'])).toBe(mine);
  expect(readlinkSync(link(project))).toBe(sessions(project));
});
