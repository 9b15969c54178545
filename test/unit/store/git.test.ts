import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkoutAt, gitStateOf, mainCheckout } from '../../../src/store/git.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { git } from '../../helpers/git.ts';

function repository(): { root: string; head: string } {
  const root = join(emptyDirectory(), 'repo');
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  git(root, 'init', '-b', 'main');
  git(root, 'commit', '--allow-empty', '-m', 'first');
  return { root, head: git(root, 'rev-parse', 'HEAD') };
}

function mainOf(directory: string): string | null {
  const checkout = checkoutAt(directory);
  return checkout === null ? null : mainCheckout(checkout);
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

describe('the main checkout of a linked worktree', () => {
  function withWorktree(): { root: string; linked: string } {
    const { root } = repository();
    const linked = join(root, '..', 'linked');
    git(root, 'worktree', 'add', linked);
    return { root, linked };
  }

  test('is found by a way that leads there and back', () => {
    const { root, linked } = withWorktree();
    expect(mainOf(linked)).toBe(root);
    expect(mainOf(root)).toBeNull();
  });

  test('is none for a copy of the worktree: the main checkout does not point back at it', () => {
    const { linked } = withWorktree();
    const copy = `${linked}-copy`;
    cpSync(linked, copy, { recursive: true });
    expect(checkoutAt(copy)).not.toBeNull();
    expect(mainOf(copy)).toBeNull();
  });

  test('is none for a submodule', () => {
    const { root } = repository();
    const inner = repository().root;
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', inner, 'sub');
    expect(checkoutAt(join(root, 'sub'))?.root).toBe(join(root, 'sub'));
    expect(mainOf(join(root, 'sub'))).toBeNull();
  });

  test.each<[string, (root: string, linked: string) => void]>([
    ['the back-link is missing', (root) => rmSync(join(root, '.git/worktrees/linked/gitdir'))],
    [
      'the back-link names another place',
      (root) => writeFileSync(join(root, '.git/worktrees/linked/gitdir'), '/elsewhere/.git\n'),
    ],
    [
      'its .git leads to a directory that an agent made up',
      (root, linked) => {
        const forged = join(linked, 'forged');
        mkdirSync(forged);
        writeFileSync(join(forged, 'gitdir'), `${join(linked, '.git')}\n`);
        writeFileSync(join(forged, 'commondir'), `${join(root, '..')}\n`);
        writeFileSync(join(linked, '.git'), `gitdir: ${forged}\n`);
      },
    ],
    [
      'its .git is a link',
      (_, linked) => {
        rmSync(join(linked, '.git'));
        symlinkSync('../repo/.git', join(linked, '.git'));
      },
    ],
    ['its .git is noise', (_, linked) => writeFileSync(join(linked, '.git'), 'gitdir:\n\0')],
    ['its .git leads nowhere', (_, linked) => writeFileSync(join(linked, '.git'), 'gitdir: /no/where\n')],
  ])('is none when %s', (_, forge) => {
    const { root, linked } = withWorktree();
    forge(root, linked);
    expect(mainOf(linked)).toBeNull();
  });
});
