import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errnoOf } from '../core/errors.ts';
import { isRealDirectory, lookAt, readText, unlessDamaged } from './read-file.ts';
import { realPathOf } from './real-path.ts';
import type { GitState } from './records.ts';

/*
 * What git's own files say about a directory. Running git would cost more than the whole start of a session, and
 * these few facts are stable parts of its layout (gitrepository-layout(5)).
 */

const LONGEST_FILE = 1 << 22;

function textOf(path: string): string | null {
  return unlessDamaged(() => readText(path, LONGEST_FILE));
}

/** The real path of what the first line of one of git's files names, behind a prefix; null where nothing is there. */
function pathIn(file: string, prefix = ''): string | null {
  const [line = ''] = textOf(file)?.split(/[\0\r\n]/, 1) ?? [];
  const path = line.startsWith(prefix) ? line.slice(prefix.length) : '';
  return path === '' ? null : realPathOf(resolve(dirname(file), path));
}

/**
 * A checkout's root and its git directory; `common` is shared by all its worktrees. Real paths, to read names from: an agent
 * that may write in the checkout can have them lead anywhere.
 */
export interface FoundCheckout {
  readonly root: string;
  readonly gitDir: string;
  readonly common: string;
}

/** One whose git directories belong to it: to write in. */
export interface OwnCheckout extends FoundCheckout {
  readonly isVerified: true;
}

/** The checkout that has its root, a real path, in this very directory, or null. */
export function checkoutAt(root: string): FoundCheckout | null {
  const own = join(root, '.git');
  const isOwn = isRealDirectory(own);
  const gitDir = isOwn ? own : pathIn(own, 'gitdir: ');
  // Without a HEAD it is not a repository: sandboxes of agents leave an empty .git in writable directories.
  if (gitDir === null || lookAt(join(gitDir, 'HEAD')) === null) return null;
  const pointer = join(gitDir, 'commondir');
  const common = isOwn || lookAt(pointer) === null ? gitDir : pathIn(pointer);
  return common === null ? null : { root, gitDir, common };
}

/** Whether a directory is itself a git directory, such as a bare repository or the inside of `.git`. */
export function isGitDirectory(directory: string): boolean {
  const hasHead = lookAt(join(directory, 'HEAD')) !== null;
  return hasHead && ['objects', 'refs'].every((name) => isRealDirectory(join(directory, name)));
}

/** Whether the configuration of a repository says that it has no checkout but its worktrees, wherever it lies. */
export const isConfiguredBare = (common: string): boolean =>
  /^\s*bare\s*=\s*true\s*$/im.test(textOf(join(common, 'config')) ?? '');

/** The same checkout if its git directory lies directly in it, or is one of the shared one's worktrees and names it back. */
export function verified(found: FoundCheckout): OwnCheckout | null {
  const { root, gitDir, common } = found;
  const isOwn =
    gitDir === common
      ? dirname(common) === root
      : dirname(gitDir) === join(common, 'worktrees') &&
        pathIn(join(gitDir, 'gitdir')) === join(root, '.git');
  return isOwn ? { ...found, isVerified: true } : null;
}

/** The checkout that has its root, a real path, in this very directory, and whose git directories belong to it; or null. */
export function ownCheckoutAt(root: string): OwnCheckout | null {
  const found = checkoutAt(root);
  return found && verified(found);
}

const SHA = /^[0-9a-f]{40,64}$/;

function commitOf(ref: string, { gitDir, common }: FoundCheckout): string | null {
  for (const directory of [gitDir, common]) {
    const loose = textOf(join(directory, ref))?.trim();
    if (loose !== undefined && SHA.test(loose)) return loose;
  }
  const packed = textOf(join(common, 'packed-refs'))?.split('\n') ?? [];
  const commit = packed.find((line) => line.endsWith(` ${ref}`))?.split(' ', 1)[0];
  return commit !== undefined && SHA.test(commit) ? commit : null;
}

/** A directory and those above it, the root last. */
function* upwards(directory: string): Generator<string> {
  for (let at = directory; ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}

/** Where the checkout around a directory stands, or null outside of git. */
export function gitStateOf(directory: string): GitState | null {
  for (const root of upwards(directory)) {
    const checkout = checkoutAt(root);
    if (checkout === null) continue;
    const head = textOf(join(checkout.gitDir, 'HEAD'))?.trim() ?? '';
    const ref = /^ref: (refs\/[^\s\0]+)$/.exec(head)?.[1];
    // A name from a file becomes part of a path: no way out of the git directory.
    if (ref === undefined || ref.split('/').includes('..'))
      return { root, head: SHA.test(head) ? head : null, branch: null };
    const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
    return { root, head: commitOf(ref, checkout), branch };
  }
  return null;
}

/** The project that an agent works in: the repository around its directory (a real path), or that directory. */
export function projectOf(workingDir: string): string {
  return gitStateOf(workingDir)?.root ?? workingDir;
}

/** Whether an agent that insists on a repository finds one around a directory: any `.git` but a directory without HEAD. */
export function isInRepository(directory: string): boolean {
  for (const at of upwards(directory)) {
    try {
      const git = statSync(join(at, '.git'), { throwIfNoEntry: false });
      const sign = git?.isDirectory() ? statSync(join(at, '.git', 'HEAD'), { throwIfNoEntry: false }) : git;
      if (sign !== undefined) return true;
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      return true;
    }
  }
  return false;
}
