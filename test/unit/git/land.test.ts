import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGit, gitIn } from '../../../src/git/git.ts';
import { checkoutOf, type LandWay, moveBranch, prepareLanding } from '../../../src/git/land.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { ME, git as plain } from '../../helpers/git.ts';

const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };

/** A repository whose main checkout has `main`, and a tree on `zwarm/a`. */
function repository() {
  const base = emptyDirectory();
  const [main, tree] = [join(base, 'main'), join(base, 'tree')];
  mkdirSync(main);
  plain(main, 'init', '-q', '-b', 'main');
  const put = (at: string, name: string, text: string) => writeFileSync(join(at, name), text);
  const commit = (at: string, name: string, text: string, message = name) => {
    put(at, name, text);
    plain(at, 'add', '-A');
    plain(at, 'commit', '-qm', message);
  };
  commit(main, 'a', 'a\n');
  plain(main, 'worktree', 'add', '-q', '-b', 'zwarm/a', tree);
  const program = findGit(env, []);
  const git = gitIn({ gitDir: join(main, '.git'), workTree: null }, program, env);
  const checkout = gitIn({ gitDir: join(main, '.git'), workTree: main }, program, env);
  /** What lies in the tree, as it is. */
  const work = (from: string | null = null) => {
    plain(tree, 'add', '-A');
    return { head: plain(tree, 'rev-parse', 'HEAD'), tree: plain(tree, 'write-tree'), base: from };
  };
  const prepare = (way: LandWay = 'squash', from: string | null = null) =>
    prepareLanding(git, 'main', work(from), { way, message: 'Do it\n', identity: ME });
  const land = async (way?: LandWay) => {
    const prepared = await prepare(way);
    if (prepared.kind !== 'ready') throw new Error(prepared.kind);
    return moveBranch(git, prepared.landing, checkout);
  };
  const log = (format: string) => plain(main, 'log', '--topo-order', `--format=${format}`, 'main');
  return { main, tree, git, put, commit, prepare, land, log };
}

test('what nobody has committed lands as one commit of the user', async () => {
  const { main, tree, put, land, log } = repository();
  put(tree, 'b', 'new\n');
  put(tree, 'a', 'changed\n');
  expect(await land()).toBe(true);
  expect(log('%an %s')).toBe('Me Do it\na a');
  expect(readFileSync(join(main, 'a'), 'utf8')).toBe('changed\n');
  expect(plain(main, 'status', '--porcelain')).toBe('');
});

test.each([
  ['squash', 'Me Do it|a moved|a a'],
  ['commits', 'Me Do it|Me Do it|a second|a first|a moved|a a'],
  ['rebase', 'Me Do it|a second|a first|a moved|a a'],
] as const)('two commits and an edit land on a branch that has moved: %s', async (way, history) => {
  const { main, tree, put, commit, land, log } = repository();
  commit(tree, 'b', '1\n', 'first');
  commit(tree, 'c', '1\n', 'second');
  put(tree, 'b', '2\n');
  commit(main, 'd', '1\n', 'moved');
  expect(await land(way)).toBe(true);
  expect(log('%an %s').replaceAll('\n', '|')).toBe(history);
  expect(readFileSync(join(main, 'b'), 'utf8')).toBe('2\n');
  expect(plain(main, 'status', '--porcelain')).toBe('');
});

test('a conflict names the files, and nothing has changed', async () => {
  const { main, tree, commit, prepare, put, log } = repository();
  put(tree, 'a', 'theirs\n');
  commit(main, 'a', 'ours\n', 'moved');
  for (const way of ['squash', 'commits', 'rebase'] as const)
    expect(await prepare(way)).toEqual({ kind: 'conflict', files: ['a'] });
  expect(log('%s')).toBe('moved\na');
  expect(plain(main, 'status', '--porcelain')).toBe('');
});

test('what has landed does not land again, also after the target has changed it; what is new does', async () => {
  const { main, tree, put, commit, prepare, land, log } = repository();
  put(tree, 'a', 'one\n');
  await land();
  expect(await prepare()).toMatchObject({ kind: 'nothing', onto: 'main' });
  const landed = plain(tree, 'write-tree');
  commit(main, 'a', 'other\n', 'changed');
  put(tree, 'b', 'new\n');
  expect(await prepare()).toEqual({ kind: 'conflict', files: ['a'] });
  expect(await prepare('squash', landed)).toMatchObject({ kind: 'ready' });
  expect(log('%s')).toBe('changed\nDo it\na');
});

test('a checkout with changes of its own in these files is left as it is, and others stay', async () => {
  const { main, tree, put, land, log } = repository();
  put(tree, 'a', 'theirs\n');
  put(main, 'a', 'mine\n');
  await expect(land()).rejects.toMatchObject({
    code: 'conflict',
    message: 'the checkout of main was left as it is: they have changes of their own: a',
  });
  expect([log('%s'), readFileSync(join(main, 'a'), 'utf8')]).toEqual(['a', 'mine\n']);
  put(main, 'a', 'a\n');
  put(main, 'other', 'mine\n');
  expect(await land()).toBe(true);
  expect(plain(main, 'status', '--porcelain')).toBe('?? other');
});

test('a branch that nobody has checked out is moved only from where it was', async () => {
  const { main, tree, git, put, prepare, log } = repository();
  put(tree, 'b', '1\n');
  expect(await checkoutOf(git, 'main')).toBe(main);
  plain(main, 'checkout', '-q', '--detach');
  expect(await checkoutOf(git, 'main')).toBe(null);
  const [first, second] = [await prepare(), await prepare('commits')];
  if (first.kind !== 'ready' || second.kind !== 'ready') throw new Error('not ready');
  expect(await moveBranch(git, first.landing, null)).toBe(true);
  expect(await moveBranch(git, { ...second.landing, commit: first.landing.from }, null)).toBe(false);
  expect(log('%s')).toBe('Do it\na');
});

test('git says what is missing where nobody has told it who commits', async () => {
  const { tree, git, put } = repository();
  put(tree, 'b', '1\n');
  plain(tree, 'add', '-A');
  const work = { head: plain(tree, 'rev-parse', 'HEAD'), tree: plain(tree, 'write-tree'), base: null };
  const nobody = { way: 'squash', message: 'Do it\n', identity: { GIT_AUTHOR_NAME: '' } } as const;
  await expect(prepareLanding(git, 'main', work, nobody)).rejects.toMatchObject({ code: 'git_failed' });
});
