import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitStateOf } from '../../../src/store/git.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { git } from '../../helpers/git.ts';

function repository(): { root: string; head: string } {
  const root = join(emptyDirectory(), 'repo');
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  git(root, 'init', '-b', 'main');
  git(root, 'commit', '--allow-empty', '-m', 'first');
  return { root, head: git(root, 'rev-parse', 'HEAD') };
}

describe('where a directory stands', () => {
  test('outside of git: nowhere', () => {
    expect(gitStateOf(emptyDirectory())).toBeNull();
  });

  test('on a branch, from any depth, also one whose name has slashes', () => {
    const { root, head } = repository();
    expect(gitStateOf(join(root, 'a', 'b'))).toEqual({ root, head, branch: 'main' });
    git(root, 'switch', '-c', 'feature/deep/er');
    expect(gitStateOf(root)).toEqual({ root, head, branch: 'feature/deep/er' });
  });

  test('detached: no branch', () => {
    const { root, head } = repository();
    git(root, 'switch', '--detach');
    expect(gitStateOf(root)).toEqual({ root, head, branch: null });
  });

  test('before the first commit: no head', () => {
    const root = emptyDirectory();
    git(root, 'init', '-b', 'main');
    expect(gitStateOf(root)).toEqual({ root, head: null, branch: 'main' });
  });

  test('with packed refs, and with a newer loose one beside them', () => {
    const { root, head } = repository();
    git(root, 'tag', '-a', '-m', 'x', 'v1');
    git(root, 'branch', 'other-main');
    git(root, 'pack-refs', '--all');
    expect(gitStateOf(root)).toEqual({ root, head, branch: 'main' });
    git(root, 'commit', '--allow-empty', '-m', 'second');
    expect(gitStateOf(root)?.head).toBe(git(root, 'rev-parse', 'HEAD'));
    expect(gitStateOf(root)?.head).not.toBe(head);
  });

  test('with SHA-256 names', () => {
    const root = emptyDirectory();
    git(root, 'init', '--object-format=sha256', '-b', 'main');
    git(root, 'commit', '--allow-empty', '-m', 'first');
    expect(gitStateOf(root)?.head).toBe(git(root, 'rev-parse', 'HEAD'));
  });

  test('in a linked worktree: its own branch and root', () => {
    const { root } = repository();
    const linked = join(root, '..', 'linked');
    git(root, 'worktree', 'add', '-b', 'side', linked);
    git(linked, 'commit', '--allow-empty', '-m', 'side');
    const head = git(linked, 'rev-parse', 'HEAD');
    expect(gitStateOf(linked)).toEqual({ root: linked, head, branch: 'side' });
    git(root, 'pack-refs', '--all');
    expect(gitStateOf(linked)).toEqual({ root: linked, head, branch: 'side' });
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
});
