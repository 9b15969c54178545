import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../../src/store/project-store.ts';
import { findProject, rootOfProject } from '../../../src/store/which-project.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { GIT_ENVIRONMENT } from '../../helpers/git.ts';

/** Makes what stands below an empty directory, in which the user's home is `home`. */
function make(base: string, script: string): void {
  const helpers = `
repo() { git init -q -b main "$1" && git -C "$1" commit -q --allow-empty -m first; }
linked() { repo repo && git -C repo worktree add -q ../linked; }
relative() {
  linked
  echo ../../../../linked/.git > repo/.git/worktrees/linked/gitdir
  echo 'gitdir: ../repo/.git/worktrees/linked' > linked/.git
}
forge() {
  repo repo; mkdir -p "forged/$1"; echo "gitdir: $1" > forged/.git
  echo 'ref: refs/heads/main' > "forged/$1/HEAD"
  echo "$PWD/forged/.git" > "forged/$1/gitdir"; echo "$PWD/repo/.git" > "forged/$1/commondir"
}
mkdir home
`;
  execFileSync('/bin/sh', ['-euc', helpers + script], { cwd: base, env: GIT_ENVIRONMENT });
}

const WORKTREE = 'repo/.git/worktrees/linked';

/** What there is; where we stand: the project's path, checkout and git directory; the projects with a store. */
test.each<[string, string, string, string?]>([
  ['an empty directory', 'mkdir a', 'a: a a -'],
  ['a directory below one with a store', 'mkdir -p a/b/c', 'a/b/c: a a -', 'a'],
  ['the nearest of several', 'mkdir -p a/b/c', 'a/b/c: a/b a/b -', 'a a/b'],
  ['the root of a repository', 'repo repo', 'repo: repo/.git repo repo/.git'],
  ['a directory in a repository', 'repo repo; mkdir -p repo/a/b', 'repo/a/b: repo/.git repo repo/.git'],
  ['a repository in a repository', 'repo r; repo r/inner', 'r/inner: r/inner/.git r/inner r/inner/.git'],
  ['a linked worktree', 'linked', `linked: repo/.git linked ${WORKTREE}`],
  [
    'a linked worktree of a bare repository beside it',
    'repo origin; git clone -q --bare origin all/.bare; git -C all/.bare worktree add -q ../main main',
    'all/main: all/.bare all/main all/.bare/worktrees/main',
  ],
  [
    'a checkout whose .git file leads to .bare in it',
    "repo origin; git clone -q --bare origin all/.bare; echo 'gitdir: ./.bare' > all/.git",
    'all: all/.bare all all/.bare',
  ],
  ['a bare repository, also from within', 'git init -q --bare b.git', 'b.git/refs/heads: b.git b.git b.git'],
  ['a store that is older than its repository', 'repo repo', 'repo: repo repo repo/.git', 'repo'],
  [
    'a worktree of a repository that is younger than its store',
    'linked',
    `linked: repo linked ${WORKTREE}`,
    'repo',
  ],
  ['a new store beside an older one', 'repo repo', 'repo: repo/.git repo repo/.git', 'repo repo/.git'],
  ['an empty .git, as a sandbox leaves it', 'mkdir -p a/.git a/b', 'a/b: a/b a/b -'],
  ['a directory below the home, a repository', 'repo home; mkdir home/a', 'home/a: home/a home/a -', 'home'],
  ['the home itself', 'repo home', 'home: home/.git home home/.git'],
  ['one below a public repository', 'repo pub; mkdir pub/a; chmod 1777 pub', 'pub/a: pub/a pub/a -', 'pub'],
  ['a public repository itself', 'repo pub; chmod 1777 pub', 'pub: pub/.git pub pub/.git'],
  ['one below a repository of a group', 'repo g; mkdir g/a; chmod 770 g', 'g/a: g/.git g g/.git'],
  [
    'a submodule',
    'repo repo; repo other; git -C repo -c protocol.file.allow=always submodule -q add "$PWD/other" sub',
    'repo/sub: repo/sub repo/sub repo/.git/modules/sub',
  ],
  [
    'a .git file that names the git directory of another repository',
    'repo repo; mkdir forged; echo "gitdir: $PWD/repo/.git" > forged/.git',
    'forged: forged forged repo/.git',
  ],
  ['a copy of a linked worktree', 'linked; cp -R linked copy', `copy: copy copy ${WORKTREE}`],
  [
    'a linked worktree that the repository does not name back',
    `linked; echo /elsewhere/.git > ${WORKTREE}/gitdir`,
    `linked: linked linked ${WORKTREE}`,
  ],
  ['one without its way back', `linked; rm ${WORKTREE}/gitdir`, `linked: linked linked ${WORKTREE}`],
  ['a git directory that an agent made up', 'forge git', 'forged: forged forged forged/git'],
  ['one called worktrees', 'forge own/worktrees/own', 'forged: forged forged forged/own/worktrees/own'],
  ['relative paths, as of git 2.48', 'relative', `linked: repo/.git linked ${WORKTREE}`],
  [
    'the git directory of a worktree by a link, from where its relative way back leads here',
    'relative; mkdir -p elsewhere/linked; ln -s "$PWD/repo" elsewhere/repo; cp linked/.git elsewhere/linked',
    `elsewhere/linked: elsewhere/linked elsewhere/linked ${WORKTREE}`,
  ],
  ['a link in the place of .git', 'repo repo; mkdir a; ln -s ../repo/.git a/.git', 'a: a a -'],
  ['a worktree of nothing', `linked; echo nowhere > ${WORKTREE}/commondir`, 'linked: linked linked -'],
  [
    'a repository that says that it is a worktree',
    'repo repo; repo other; echo ../../other/.git > repo/.git/commondir',
    'repo: repo/.git repo repo/.git',
  ],
  ['a .git file that leads nowhere', 'mkdir a; echo "gitdir: /no/where" > a/.git', 'a: a a -'],
  ['a .git file of noise', "mkdir a; printf 'gitdir:\\n\\000' > a/.git", 'a: a a -'],
  ['a .git file of a long name', `mkdir a; printf 'gitdir: %05000d' 0 > a/.git`, 'a: a a -'],
])('%s', (_, script, places, stores) => {
  const base = emptyDirectory();
  const at = (name: string): string => join(base, name);
  make(base, script);
  const state = at('state');
  for (const store of stores?.split(' ') ?? []) mkdirSync(storeDir(state, at(store)), { recursive: true });
  const [cwd = '', path = '', checkout = '', gitDir = ''] = places.split(/:? /).map(at);
  expect(findProject(cwd, at('home'), state, () => 'here')).toMatchObject({
    state,
    root: storeDir(state, path),
    path,
    checkout,
    gitDir: gitDir === at('-') ? null : gitDir,
  });
});

test('a store of the root directory is found in / alone, and nowhere below it', () => {
  const state = emptyDirectory();
  const pathOf = (cwd: string): string => findProject(cwd, null, state, () => 'here').path;
  expect(pathOf('/')).toBe('/');
  mkdirSync(storeDir(state, '/'), { recursive: true });
  expect(['/usr/bin/..', '/'].map(pathOf)).toEqual(['/usr', '/']);
});

test('a home is recognised through a link too, and one that is missing bounds nothing', () => {
  const base = emptyDirectory();
  make(base, 'repo home; mkdir home/a; ln -s home link');
  const found = (home: string): string =>
    findProject(join(base, 'home/a'), join(base, home), base, () => 'here').path;
  expect(found('link')).toBe(join(base, 'home/a'));
  expect(found('none')).toBe(join(base, 'home/.git'));
});

test('a link leads to the project that it names', () => {
  const base = emptyDirectory();
  make(base, 'repo repo; ln -s repo link');
  expect(findProject(join(base, 'link'), null, base, () => 'here').path).toBe(join(base, 'repo/.git'));
});

test('a directory that is gone, or whose name is not text, is an error of the user', () => {
  const base = emptyDirectory();
  const found = (path: string) => () => findProject(path, null, base, () => 'here');
  expect(found(join(base, 'gone'))).toThrow(
    expect.objectContaining({ code: 'usage', exitCode: 2, hint: 'name a directory that exists' }),
  );
  mkdirSync(Buffer.concat([Buffer.from(`${base}/`), Buffer.from([0xff])]));
  expect(found(`${base}/\ufffd`)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('UTF-8') }),
  );
});

test('sessions record their directories from the main checkout, or from the bare repository', () => {
  const paths = ['/w/.git', '/w/.bare', '/w', '/w/shop.git'];
  expect(paths.map(rootOfProject)).toEqual(['/w', '/w/.bare', '/w', '/w/shop.git']);
});
