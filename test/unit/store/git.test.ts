import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitStateOf, isGitDirectory, isInRepository } from '../../../src/store/git.ts';
import { directoryWith, emptyDirectory } from '../../helpers/directory.ts';
import { git } from '../../helpers/git.ts';

function repository(...options: string[]): { root: string; head: () => string } {
  const root = join(emptyDirectory(), 'repo');
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  git(root, 'init', '-b', 'main', ...options);
  git(root, 'commit', '--allow-empty', '-m', 'first');
  return { root, head: () => git(root, 'rev-parse', 'HEAD') };
}

test('nowhere, on a branch without a commit, from any depth, with slashes in its name, and on none', () => {
  const empty = emptyDirectory();
  expect(gitStateOf(empty)).toBeNull();
  git(empty, 'init', '-b', 'main');
  expect(gitStateOf(empty)).toEqual({ root: empty, head: null, branch: 'main' });
  const { root, head } = repository();
  expect(gitStateOf(join(root, 'a', 'b'))).toEqual({ root, head: head(), branch: 'main' });
  git(root, 'switch', '-c', 'feature/deep/er');
  expect(gitStateOf(root)).toEqual({ root, head: head(), branch: 'feature/deep/er' });
  git(root, 'switch', '--detach');
  expect(gitStateOf(root)).toEqual({ root, head: head(), branch: null });
});

test.each(['sha1', 'sha256'])('with packed refs, and with a newer loose one beside them, of %s', (format) => {
  const { root, head } = repository(`--object-format=${format}`);
  const first = head();
  git(root, 'tag', '-a', '-m', 'x', 'v1');
  git(root, 'branch', 'other-main');
  git(root, 'pack-refs', '--all');
  expect(gitStateOf(root)).toEqual({ root, head: first, branch: 'main' });
  git(root, 'commit', '--allow-empty', '-m', 'second');
  expect(gitStateOf(root)?.head).toBe(head());
  expect(head()).not.toBe(first);
});

test('a linked worktree has its own branch and root', () => {
  const { root } = repository();
  const linked = join(root, '..', 'linked');
  git(root, 'worktree', 'add', '-b', 'side', linked);
  git(linked, 'commit', '--allow-empty', '-m', 'side');
  const expected = { root: linked, head: git(linked, 'rev-parse', 'HEAD'), branch: 'side' };
  expect(gitStateOf(linked)).toEqual(expected);
  git(root, 'pack-refs', '--all');
  expect(gitStateOf(linked)).toEqual(expected);
  expect(gitStateOf(root)?.branch).toBe('main');
});

test.each([
  ['a way out of the git directory', 'ref: refs/../../../secret'],
  ['a link by another name', 'ref: /etc/passwd'],
  ['noise', '\0\0\xff'],
  ['nothing', ''],
])('a HEAD that holds %s names no branch and no commit', (_, head) => {
  const { root } = repository();
  writeFileSync(join(root, '..', 'secret'), `${'a'.repeat(40)}\n`);
  writeFileSync(join(root, '.git', 'HEAD'), head);
  expect(gitStateOf(root)).toEqual({ root, head: null, branch: null });
});

const [ONE, TWO] = ['1'.repeat(40), '2'.repeat(40)];
const MAIN = 'ref: refs/heads/main\n';

test.each<[string, Record<string, string>, string | null, string | null]>([
  ['a commit', { HEAD: `${ONE}\n` }, ONE, null],
  ['a commit of sha256', { HEAD: 'a'.repeat(64) }, 'a'.repeat(64), null],
  ['too short a commit', { HEAD: ONE.slice(1) }, null, null],
  ['too long a commit', { HEAD: 'a'.repeat(65) }, null, null],
  ['a branch', { HEAD: MAIN, 'refs/heads/main': `${ONE}\n` }, ONE, 'main'],
  ['a branch of dots', { HEAD: 'ref: refs/heads/a..b', 'refs/heads/a..b': ONE }, ONE, 'a..b'],
  ['a tag', { HEAD: 'ref: refs/tags/v1', 'refs/tags/v1': ONE }, ONE, null],
  ['a branch that holds noise', { HEAD: MAIN, 'refs/heads/main': `${ONE}x` }, null, 'main'],
  [
    'a branch that is a link',
    { HEAD: MAIN, 'refs/heads/main': '@other', 'refs/heads/other': ONE },
    null,
    'main',
  ],
  [
    'a name of two words',
    { HEAD: 'ref: refs/heads/a b', 'refs/heads/a': ONE, 'refs/heads/a b': ONE },
    null,
    null,
  ],
  ['a packed branch', { HEAD: MAIN, 'packed-refs': `# x\n${ONE} refs/heads/main\n^${TWO}\n` }, ONE, 'main'],
  [
    'a packed branch behind one whose name ends the same',
    { HEAD: MAIN, 'packed-refs': `${ONE} refs/a/refs/heads/main\n${TWO} refs/heads/main\n` },
    TWO,
    'main',
  ],
  ['a packed branch of no commit', { HEAD: MAIN, 'packed-refs': 'x refs/heads/main\n' }, null, 'main'],
  ['a link', { HEAD: '@other', other: ONE }, null, null],
])('a HEAD that names %s is read as that', (_, files, head, branch) => {
  const root = directoryWith(files, '.git');
  expect(gitStateOf(root)).toEqual({ root, head, branch });
});

test('what a worktree has for itself goes before what all share', () => {
  const base = directoryWith({
    'w/.git': 'gitdir: ../git/worktrees/w\n',
    'git/worktrees/w/HEAD': 'ref: refs/bisect/good\n',
    'git/worktrees/w/commondir': '../..\n',
    'git/worktrees/w/refs/bisect/good': ONE,
    'git/refs/bisect/good': TWO,
  });
  expect(gitStateOf(join(base, 'w'))?.head).toBe(ONE);
});

test.each<[string, Record<string, string | null>, boolean]>([
  ['nothing', { 'a/b': null }, false],
  ['a repository', { 'a/b': null, 'a/.git/HEAD': '' }, true],
  ['a file called .git', { 'a/b': null, 'a/.git': '' }, true],
  ['an empty .git', { 'a/b': null, 'a/.git': null }, false],
  ['a repository above an empty .git', { 'a/b/.git': null, '.git/HEAD': '' }, true],
  ['a link to a git directory', { 'a/b': null, 'a/.git': '@../git', 'git/HEAD': '' }, true],
  ['a link to nothing', { 'a/b': null, 'a/.git': '@none' }, false],
  ['a link to itself', { 'a/b': null, 'a/.git': '@.git' }, true],
])('for Codex %s around a directory is a repository: %s', (_, files, expected) => {
  expect(isInRepository(join(directoryWith(files), 'a/b'))).toBe(expected);
});

test.each<[string, boolean, Record<string, string | null>]>([
  ['all three', true, { HEAD: '', objects: null, refs: null }],
  ['no HEAD', false, { objects: null, refs: null }],
  ['no objects', false, { HEAD: '', refs: null }],
  ['no refs', false, { HEAD: '', objects: null }],
  ['a file of refs', false, { HEAD: '', objects: null, refs: '' }],
  ['a link to objects', false, { HEAD: '', objects: '@refs', refs: null }],
])('a directory with %s is a git directory: %s', (_, expected, files) => {
  expect(isGitDirectory(directoryWith(files))).toBe(expected);
});
