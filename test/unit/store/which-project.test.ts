import {
  chmodSync,
  cpSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../../src/store/project-store.ts';
import { realPathToBe } from '../../../src/store/real-path.ts';
import { findProject, rootOfProject } from '../../../src/store/which-project.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { git } from '../../helpers/git.ts';

/** Below an empty directory `base`, in which the user's home is `home`. */
interface Scene {
  readonly make: (base: string) => void;
  /** The paths of projects that have a store already. */
  readonly stores?: readonly string[];
  readonly cwd: string;
  readonly path: string;
  readonly checkout: string;
  /** Null outside of git. */
  readonly gitDir: string | null;
}

function repository(path: string): void {
  mkdirSync(path, { recursive: true });
  git(path, 'init', '-q', '-b', 'main');
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first');
}

function withWorktree(base: string): void {
  repository(join(base, 'repo'));
  git(join(base, 'repo'), 'worktree', 'add', '-q', join(base, 'linked'));
}

function withRelativeWorktree(base: string): void {
  withWorktree(base);
  writeFileSync(join(base, 'repo/.git/worktrees/linked/gitdir'), '../../../../linked/.git\n');
  writeFileSync(join(base, 'linked/.git'), 'gitdir: ../repo/.git/worktrees/linked\n');
}

function directories(base: string, ...names: readonly string[]): void {
  for (const name of names) mkdirSync(join(base, name), { recursive: true });
}

const bare = (at: string) => ({ cwd: at, path: at, checkout: at, gitDir: null });
/** What a directory comes to where its `.git` proves nothing: a project of its own. */
const alone = { ...bare('linked'), gitDir: 'repo/.git/worktrees/linked' };

const SCENES: readonly [name: string, scene: Scene][] = [
  ['an empty directory', { make: (base) => directories(base, 'a'), ...bare('a') }],
  [
    'a directory below one with a store',
    { make: (base) => directories(base, 'a/b/c'), stores: ['a'], ...bare('a'), cwd: 'a/b/c' },
  ],
  [
    'the nearest of several',
    {
      make: (base) => directories(base, 'a/b/c'),
      stores: ['a', 'a/b'],
      ...bare('a/b'),
      cwd: 'a/b/c',
    },
  ],
  [
    'the root of a repository',
    {
      make: (base) => repository(join(base, 'repo')),
      cwd: 'repo',
      path: 'repo/.git',
      checkout: 'repo',
      gitDir: 'repo/.git',
    },
  ],
  [
    'a directory in a repository',
    {
      make(base) {
        repository(join(base, 'repo'));
        directories(base, 'repo/a/b');
      },
      cwd: 'repo/a/b',
      path: 'repo/.git',
      checkout: 'repo',
      gitDir: 'repo/.git',
    },
  ],
  [
    'a repository in a repository',
    {
      make(base) {
        repository(join(base, 'repo'));
        repository(join(base, 'repo/inner'));
      },
      cwd: 'repo/inner',
      path: 'repo/inner/.git',
      checkout: 'repo/inner',
      gitDir: 'repo/inner/.git',
    },
  ],
  [
    'a linked worktree',
    {
      make: withWorktree,
      cwd: 'linked',
      path: 'repo/.git',
      checkout: 'linked',
      gitDir: 'repo/.git/worktrees/linked',
    },
  ],
  [
    'a linked worktree of a bare repository beside it',
    {
      make(base) {
        repository(join(base, 'origin'));
        git(base, 'clone', '-q', '--bare', 'origin', 'all/.bare');
        git(join(base, 'all/.bare'), 'worktree', 'add', '-q', '../main', 'main');
      },
      cwd: 'all/main',
      path: 'all/.bare',
      checkout: 'all/main',
      gitDir: 'all/.bare/worktrees/main',
    },
  ],
  [
    'a checkout whose .git file leads to .bare in it',
    {
      make(base) {
        repository(join(base, 'origin'));
        git(base, 'clone', '-q', '--bare', 'origin', 'all/.bare');
        writeFileSync(join(base, 'all/.git'), 'gitdir: ./.bare\n');
      },
      cwd: 'all',
      path: 'all/.bare',
      checkout: 'all',
      gitDir: 'all/.bare',
    },
  ],
  [
    'a bare repository, also from within',
    {
      make(base) {
        directories(base, 'bare.git');
        git(join(base, 'bare.git'), 'init', '-q', '--bare');
      },
      cwd: 'bare.git/refs/heads',
      path: 'bare.git',
      checkout: 'bare.git',
      gitDir: 'bare.git',
    },
  ],
  [
    'a directory whose store is older than its repository',
    {
      make: (base) => repository(join(base, 'repo')),
      stores: ['repo'],
      cwd: 'repo',
      path: 'repo',
      checkout: 'repo',
      gitDir: 'repo/.git',
    },
  ],
  [
    'a repository with a store of its own and an older one',
    {
      make: (base) => repository(join(base, 'repo')),
      stores: ['repo', 'repo/.git'],
      cwd: 'repo',
      path: 'repo/.git',
      checkout: 'repo',
      gitDir: 'repo/.git',
    },
  ],
  [
    'an empty .git, as a sandbox leaves it',
    { make: (base) => directories(base, 'a/.git', 'a/b'), ...bare('a/b') },
  ],
  [
    'a directory below the home, which is a repository',
    {
      make(base) {
        repository(join(base, 'home'));
        directories(base, 'home/a');
      },
      stores: ['home'],
      ...bare('home/a'),
    },
  ],
  [
    'the home itself',
    {
      make: (base) => repository(join(base, 'home')),
      cwd: 'home',
      path: 'home/.git',
      checkout: 'home',
      gitDir: 'home/.git',
    },
  ],
  [
    'a directory below a public one, which is a repository',
    {
      make(base) {
        repository(join(base, 'public'));
        directories(base, 'public/a');
        chmodSync(join(base, 'public'), 0o1777);
      },
      stores: ['public'],
      ...bare('public/a'),
    },
  ],
  [
    'a submodule',
    {
      make(base) {
        repository(join(base, 'repo'));
        repository(join(base, 'other'));
        git(
          join(base, 'repo'),
          '-c',
          'protocol.file.allow=always',
          'submodule',
          '-q',
          'add',
          join(base, 'other'),
          'sub',
        );
      },
      cwd: 'repo/sub',
      path: 'repo/sub',
      checkout: 'repo/sub',
      gitDir: 'repo/.git/modules/sub',
    },
  ],
  [
    'a .git file that names the git directory of another repository',
    {
      make(base) {
        repository(join(base, 'repo'));
        directories(base, 'forged');
        writeFileSync(join(base, 'forged/.git'), `gitdir: ${join(base, 'repo/.git')}\n`);
      },
      ...bare('forged'),
      gitDir: 'repo/.git',
    },
  ],
  [
    'a copy of a linked worktree',
    {
      make(base) {
        withWorktree(base);
        cpSync(join(base, 'linked'), join(base, 'copy'), { recursive: true });
      },
      ...bare('copy'),
      gitDir: 'repo/.git/worktrees/linked',
    },
  ],
  [
    'a linked worktree that the repository does not name back',
    {
      make(base) {
        withWorktree(base);
        writeFileSync(join(base, 'repo/.git/worktrees/linked/gitdir'), '/elsewhere/.git\n');
      },
      ...alone,
    },
  ],
  [
    'a linked worktree without its way back',
    {
      make(base) {
        withWorktree(base);
        rmSync(join(base, 'repo/.git/worktrees/linked/gitdir'));
      },
      ...alone,
    },
  ],
  [
    'a git directory that an agent made up',
    {
      make(base) {
        repository(join(base, 'repo'));
        directories(base, 'forged/git');
        writeFileSync(join(base, 'forged/git/HEAD'), 'ref: refs/heads/main\n');
        writeFileSync(join(base, 'forged/git/gitdir'), `${join(base, 'forged/.git')}\n`);
        writeFileSync(join(base, 'forged/git/commondir'), `${join(base, 'repo/.git')}\n`);
        writeFileSync(join(base, 'forged/.git'), 'gitdir: git\n');
      },
      ...bare('forged'),
      gitDir: 'forged/git',
    },
  ],
  [
    'a git directory that an agent made up in a directory called worktrees',
    {
      make(base) {
        repository(join(base, 'repo'));
        const made = join(base, 'forged/own/worktrees/own');
        mkdirSync(made, { recursive: true });
        writeFileSync(join(made, 'HEAD'), 'ref: refs/heads/main\n');
        writeFileSync(join(made, 'gitdir'), `${join(base, 'forged/.git')}\n`);
        writeFileSync(join(made, 'commondir'), `${join(base, 'repo/.git')}\n`);
        writeFileSync(join(base, 'forged/.git'), 'gitdir: own/worktrees/own\n');
      },
      ...bare('forged'),
      gitDir: 'forged/own/worktrees/own',
    },
  ],
  [
    'a linked worktree by relative paths, as git 2.48 can write them',
    {
      make: withRelativeWorktree,
      cwd: 'linked',
      path: 'repo/.git',
      checkout: 'linked',
      gitDir: 'repo/.git/worktrees/linked',
    },
  ],
  [
    'the git directory of a worktree by a link, from where its relative way back leads here',
    {
      make(base) {
        withRelativeWorktree(base);
        directories(base, 'elsewhere/linked');
        symlinkSync(join(base, 'repo'), join(base, 'elsewhere/repo'));
        cpSync(join(base, 'linked/.git'), join(base, 'elsewhere/linked/.git'));
      },
      ...bare('elsewhere/linked'),
      gitDir: 'repo/.git/worktrees/linked',
    },
  ],
  [
    'a .git file that leads nowhere',
    {
      make(base) {
        directories(base, 'a');
        writeFileSync(join(base, 'a/.git'), 'gitdir: /no/where\n');
      },
      ...bare('a'),
    },
  ],
  [
    'a .git file of noise',
    {
      make(base) {
        directories(base, 'a');
        writeFileSync(join(base, 'a/.git'), 'gitdir:\n\0');
      },
      ...bare('a'),
    },
  ],
];

test.each(SCENES)('%s', (_, { make, stores = [], cwd, ...expected }) => {
  const base = emptyDirectory();
  const at = (path: string): string => join(base, path);
  directories(base, 'home');
  make(base);
  const state = join(base, 'state');
  for (const path of stores) mkdirSync(storeDir(state, at(path)), { recursive: true });
  const found = findProject(join(base, cwd), join(base, 'home'), state);
  const { path, checkout, gitDir } = expected;
  expect(found).toEqual({
    state,
    root: storeDir(state, at(path)),
    path: at(path),
    checkout: at(checkout),
    gitDir: gitDir === null ? null : at(gitDir),
  });
});

test('a link leads to the project that it names', () => {
  const base = emptyDirectory();
  repository(join(base, 'repo'));
  symlinkSync('repo', join(base, 'link'));
  expect(findProject(join(base, 'link'), null, base).path).toBe(join(base, 'repo/.git'));
});

test('a directory that is gone, or whose name is not text, is an error of the user', () => {
  const base = emptyDirectory();
  const found = (path: string) => () => findProject(path, null, base);
  expect(found(join(base, 'gone'))).toThrow(expect.objectContaining({ code: 'usage', exitCode: 2 }));
  mkdirSync(Buffer.concat([Buffer.from(`${base}/`), Buffer.from([0xff])]));
  expect(found(`${base}/\ufffd`)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('UTF-8') }),
  );
});

test('what a path would be is told by what of it is there', () => {
  const base = emptyDirectory();
  mkdirSync(join(base, 'real'));
  symlinkSync('real', join(base, 'link'));
  expect(realPathToBe(join(base, 'link/a/b'))).toBe(join(realpathSync(base), 'real/a/b'));
  renameSync(join(base, 'real'), join(base, 'other'));
  expect(realPathToBe('/no/where')).toBe('/no/where');
});

test('sessions record their directories from the main checkout, or from the bare repository', () => {
  expect(rootOfProject('/w/.git')).toBe('/w');
  expect(rootOfProject('/w/.bare')).toBe('/w/.bare');
  expect(rootOfProject('/w')).toBe('/w');
});
