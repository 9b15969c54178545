import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitStateOf } from '../../../src/store/git.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
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
