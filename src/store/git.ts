import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from '../core/errors.ts';
import { isRealDirectory, readSmall, unlessDamaged } from './read-file.ts';
import type { GitState } from './records.ts';

/*
 * What git's own files say about a directory. Running git would cost more than the whole start of a session, and
 * these few facts are stable parts of its layout (gitrepository-layout(5)).
 */

function textOf(path: string): string | null {
  return unlessDamaged(() => readSmall(path, 1 << 22)?.bytes.toString() ?? null);
}

/** The path that a file of git's holds, or null. */
function pathIn(file: string): string | null {
  return /^[^\0\r\n]+/.exec(textOf(file) ?? '')?.[0] ?? null;
}

/** The real path of what stands at a path that a file names, or null where nothing does. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    // It leads nowhere, or where we may not look.
    return null;
  }
}

/** A checkout's root and its git directory; `common` is shared by all its worktrees. What a file names is a real path. */
export interface Checkout {
  readonly root: string;
  readonly gitDir: string;
  readonly common: string;
}

function linked(root: string, pointer: string): Checkout | null {
  const target = /^gitdir: ([^\0\r\n]+)/.exec(pointer)?.[1];
  const gitDir = target === undefined ? null : realPath(resolve(root, target));
  if (gitDir === null) return null;
  const commondir = pathIn(join(gitDir, 'commondir'));
  const common = commondir === null ? gitDir : realPath(resolve(gitDir, commondir));
  return common === null ? null : { root, gitDir, common };
}

function checkoutOf(directory: string): Checkout | null {
  const git = join(directory, '.git');
  if (isRealDirectory(git)) return { root: directory, gitDir: git, common: git };
  const pointer = textOf(git);
  return pointer === null ? null : linked(directory, pointer);
}

/** The checkout that has its root in this very directory, or null. */
export function checkoutAt(directory: string): Checkout | null {
  const checkout = checkoutOf(directory);
  // Without a HEAD it is not a repository: Codex's sandbox leaves an empty .git in writable directories.
  const head = checkout === null ? null : join(checkout.gitDir, 'HEAD');
  return head !== null && lstatSync(head, { throwIfNoEntry: false }) !== undefined ? checkout : null;
}

/** Whether a directory is itself a git directory, such as a bare repository or the inside of `.git`. */
export function isGitDirectory(directory: string): boolean {
  return (
    lstatSync(join(directory, 'HEAD'), { throwIfNoEntry: false }) !== undefined &&
    isRealDirectory(join(directory, 'objects')) &&
    isRealDirectory(join(directory, 'refs'))
  );
}

/**
 * The git directory that all worktrees of a checkout share, or null where the checkout cannot prove that it is one of
 * them. An agent can write a `.git` file, which may lead anywhere: it counts only if its git directory lies directly in
 * the checkout, or is one of the shared directory's worktrees and names this checkout back.
 */
export function commonDirectory({ root, gitDir, common }: Checkout): string | null {
  if (gitDir === common) return dirname(common) === root ? common : null;
  if (dirname(gitDir) !== join(common, 'worktrees')) return null;
  const back = pathIn(join(gitDir, 'gitdir'));
  if (back === null || basename(back) !== '.git' || realPath(resolve(gitDir, dirname(back))) !== root)
    return null;
  return isRealDirectory(common) ? common : null;
}

const SHA = /^[0-9a-f]{40,64}$/;

function commitOf(ref: string, checkout: Checkout): string | null {
  for (const directory of [checkout.gitDir, checkout.common]) {
    const loose = textOf(join(directory, ref))?.trim();
    if (loose !== undefined && SHA.test(loose)) return loose;
  }
  const packed = textOf(join(checkout.common, 'packed-refs'))?.split('\n') ?? [];
  const commit = packed.find((line) => line.endsWith(` ${ref}`))?.split(' ', 1)[0];
  return commit !== undefined && SHA.test(commit) ? commit : null;
}

/** Where the checkout around a directory stands, or null outside of git. */
export function gitStateOf(directory: string): GitState | null {
  for (let at = directory; ; at = dirname(at)) {
    const checkout = checkoutAt(at);
    if (checkout !== null) {
      const head = textOf(join(checkout.gitDir, 'HEAD'))?.trim() ?? '';
      const ref = /^ref: (refs\/[^\s\0]+)$/.exec(head)?.[1];
      // A name from a file becomes part of a path: no way out of the git directory.
      const safe = ref !== undefined && !ref.split('/').includes('..') ? ref : null;
      return {
        root: at,
        head: safe === null ? (SHA.test(head) ? head : null) : commitOf(safe, checkout),
        branch: safe?.startsWith('refs/heads/') ? safe.slice('refs/heads/'.length) : null,
      };
    }
    if (dirname(at) === at) return null;
  }
}

/**
 * Whether an agent that insists on a repository would find one around a directory: a `.git` of any kind but a directory
 * without a HEAD, which is what Codex 0.169 looks for. True where that cannot be told.
 */
export function isInRepository(directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    try {
      const git = statSync(join(at, '.git'), { throwIfNoEntry: false });
      const sign = git?.isDirectory() ? statSync(join(at, '.git', 'HEAD'), { throwIfNoEntry: false }) : git;
      if (sign !== undefined) return true;
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      return true;
    }
    if (dirname(at) === at) return false;
  }
}
