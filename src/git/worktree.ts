import { ZwarmError } from '../core/errors.ts';
import type { Git } from './git.ts';

/** A worktree: where its files are, and its branch with the commit at which that begins. */
export interface Worktree {
  /** An absolute path. */
  readonly path: string;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** A full object name. */
  readonly base: string;
}

/** Filters may fetch what they fill in, and a checkout may be large. */
const CHECKOUT_MS = 600_000;

/** The commit that a revision names, and the branch (without `refs/heads/`) if it names one; null where there is none. */
export async function commitOf(
  git: Git,
  revision: string,
): Promise<{ base: string; branch: string | null } | null> {
  const ask = (...options: string[]) =>
    git(
      ['rev-parse', '--verify', '--quiet', ...options, '--end-of-options'].concat(
        options.length > 0 ? revision : `${revision}^{commit}`,
      ),
      {
        codes: [1, 128],
      },
    );
  const [commit, name] = await Promise.all([ask(), ask('--symbolic-full-name')]);
  if (commit.code !== 0) return null;
  const [, branch = null] = /^refs\/heads\/(.+)\n$/.exec(name.stdout.toString()) ?? [];
  return { base: commit.stdout.toString().trim(), branch };
}

/** The first setting of the repository's own configuration that names a program which a checkout runs, or null. */
export async function programInCheckouts(git: Git): Promise<string | null> {
  const { stdout } = await git(['config', '--local', '--includes', '--name-only', '-z', '--list']);
  const names = stdout.toString().split('\0');
  return names.find((name) => /^filter\..*\.(smudge|process|clean)$|^core\.worktree$/s.test(name)) ?? null;
}

/** Refuses a branch that cannot be made: not a name, taken, or above or below one that is there. @throws ZwarmError `usage`, `name_taken` */
export async function requireNewBranch(git: Git, branch: string): Promise<void> {
  const { code, stdout } = await git(['check-ref-format', '--branch', branch], { codes: [1, 128] });
  // Of `@{-1}` it prints another branch.
  if (code !== 0 || stdout.toString() !== `${branch}\n`)
    throw new ZwarmError(
      'usage',
      `${JSON.stringify(branch)} is not a name for a branch`,
      'write it as git does: --branch fix/login',
    );
  const [first = ''] = branch.split('/');
  const listed = await git(['for-each-ref', '--format=%(refname)', `refs/heads/${first}`]);
  const heads = listed.stdout
    .toString()
    .split('\n')
    .map((ref) => ref.slice('refs/heads/'.length));
  const inTheWay = heads.find(
    (head) => head !== '' && (`${branch}/`.startsWith(`${head}/`) || head.startsWith(`${branch}/`)),
  );
  if (inTheWay === undefined) return;
  const what =
    inTheWay === branch
      ? `there is a branch ${branch} already`
      : `the branch ${branch} cannot be made while there is a branch ${inTheWay}`;
  throw new ZwarmError('name_taken', what, 'choose another one: --branch NAME');
}

const refOf = (branch: string): string => `refs/heads/${branch}`;

/**
 * Makes a worktree with a new branch in an empty directory, locked for a reason, which the log of the branch begins with.
 * @throws ZwarmError `git_failed`
 */
export async function addWorktree(git: Git, { path, branch, base }: Worktree, reason: string): Promise<void> {
  // An empty old value: of several commands that want this branch one makes it.
  await git(['update-ref', '--create-reflog', '-m', reason, refOf(branch), base, '']);
  const add = ['worktree', 'add', '--quiet', '--lock', '--reason', reason, '--', path, branch];
  await git(add, { timeoutMs: CHECKOUT_MS });
}

/** Removes a worktree with all that is in it, locked or not; false where none is registered or its files were moved. */
export async function dropWorktree(git: Git, { path }: Pick<Worktree, 'path'>): Promise<boolean> {
  // Twice: it is locked.
  const remove = ['worktree', 'remove', '--force', '--force', '--', path];
  return (await git(remove, { codes: [128], timeoutMs: CHECKOUT_MS })).code === 0;
}

/** What git tells of each worktree, in lines of a word and a value, `worktree PATH` first. */
export async function listWorktrees(git: Git): Promise<readonly (readonly string[])[]> {
  const { stdout } = await git(['worktree', 'list', '--porcelain', '-z']);
  return stdout
    .toString()
    .split('\0\0')
    .map((one) => one.split('\0'));
}

/** Whether git knows a worktree at a path, and has locked it for this reason, as it does before it makes a file there. */
export async function isMadeFor(git: Git, path: string, reason: string): Promise<boolean> {
  const known = (await listWorktrees(git)).find(([first]) => first === `worktree ${path}`);
  return known?.slice(1).includes(`locked ${reason}`) ?? false;
}

/**
 * Deletes the branch of a worktree that was being made: only one that was made for this reason, has not moved since, and is
 * checked out nowhere.
 */
export async function dropNewBranch(git: Git, { branch, base }: Worktree, reason: string): Promise<void> {
  const log = await git(['log', '-g', '-1', '--format=%gs', refOf(branch), '--'], { codes: [128] });
  if (log.stdout.toString() === `${reason}\n`) await deleteBranch(git, branch, base);
}

/** Deletes a branch, unless it has moved away from a commit or is checked out elsewhere; whether it has. */
export async function deleteBranch(git: Git, branch: string, commit: string): Promise<boolean> {
  const { stdout } = await git(['for-each-ref', '--format=%(worktreepath)', refOf(branch)]);
  if (stdout.toString().trim() !== '') return false;
  return (await git(['update-ref', '-d', refOf(branch), commit], { codes: [1, 128] })).code === 0;
}

/** Makes a branch at a commit, unless it is there. @throws ZwarmError `git_failed` where one is at another commit */
export async function newBranch(git: Git, branch: string, commit: string): Promise<void> {
  const there = await commitOf(git, refOf(branch));
  if (there?.base !== commit) await git(['update-ref', '--create-reflog', refOf(branch), commit, '']);
}

/** Keeps a commit by a reference. */
export async function keepCommit(git: Git, ref: string, commit: string): Promise<void> {
  await git(['update-ref', ref, commit]);
}

/** Has git tell the worktrees of a repository that was moved where that is now, as far as they are where git knows them. */
export async function repairWorktrees(git: Git): Promise<void> {
  await git(['worktree', 'repair'], { codes: [1, 128] });
}

/** Lets a worktree be removed by whoever wants to. */
export async function unlockWorktree(git: Git, path: string): Promise<void> {
  await git(['worktree', 'unlock', '--', path], { codes: [128] });
}

/** What git prints with `-z`: one character for each byte, as a path may be in any encoding. */
const split = (text: Buffer): readonly string[] =>
  text
    .toString('latin1')
    .split('\0')
    .filter((entry) => entry !== '');

/** One file of a checkout that is not as its commit and its index have it. */
export interface Change {
  /** From the root of the checkout; of a directory that git does not enter it ends with a slash. */
  readonly path: Buffer;
  /** Whether the checkout has it. */
  readonly isThere: boolean;
}

const STATUS = ['status', '--porcelain=v2', '-z', '--no-renames', '--ignore-submodules=all'];

/** All that differs in a checkout from its commit, with what git printed for it; ignored files do not count. */
export async function changesIn(git: Git): Promise<{ printed: Buffer; changes: readonly Change[] }> {
  const { stdout: printed } = await git([...STATUS, '--untracked-files=all']);
  const entries = split(printed);
  const changes = entries.map((entry) => {
    const [kind = ''] = entry;
    // `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path`
    const before = { '1': 8, u: 10 }[kind] ?? 1;
    const path = Buffer.from(entry.split(' ').slice(before).join(' '), 'latin1');
    const [, staged = '', unstaged = ''] = /^1 (.)(.) /.exec(entry) ?? [];
    const isDeleted = unstaged === 'D' || (unstaged === '.' && staged === 'D');
    const isUnmerged = kind === 'u' && entry.split(' ')[6] === '000000';
    return { path, isThere: !isDeleted && !isUnmerged };
  });
  return { printed, changes };
}

/** Makes a copy of the index of a checkout stand for itself: without files beside it that it refers to. */
export async function completeIndex(git: Git, copy: string): Promise<void> {
  const whole = ['update-index', '--no-split-index', '--no-untracked-cache', '--no-fsmonitor'];
  await git(['-c', 'core.splitIndex=false', ...whole], { env: { GIT_INDEX_FILE: copy } });
}

/**
 * The untracked files of a checkout that these patterns name, as in a `.gitignore`; or those that the patterns of a file name
 * and that are ignored. None lies outside of the checkout. @throws ZwarmError `git_failed`
 */
export async function untrackedLike(
  git: Git,
  by: { readonly patterns: readonly string[] } | { readonly file: string },
): Promise<readonly Buffer[]> {
  const patterns = 'file' in by ? ['-X', by.file] : by.patterns.flatMap((pattern) => ['-x', pattern]);
  const { stdout } = await git(['ls-files', '-z', '--others', '--ignored', ...patterns]);
  const paths = (printed: Buffer) => split(printed).map((path) => Buffer.from(path, 'latin1'));
  if (!('file' in by) || stdout.length === 0) return paths(stdout);
  return paths((await git(['check-ignore', '-z', '--stdin'], { input: stdout, codes: [1] })).stdout);
}

/** Whether git knows anything at or below a path of a checkout. @throws ZwarmError `git_failed` */
export async function isTracked(git: Git, path: string): Promise<boolean> {
  const { stdout } = await git(['--literal-pathspecs', 'ls-files', '-z', '--', path]);
  return stdout.length > 0;
}

/** How many files of a checkout are not as its commit has them, and how many it does not know. Ignored ones do not count. */
export async function countChanges(
  git: Git,
): Promise<{ readonly changed: number; readonly untracked: number }> {
  const { stdout } = await git([...STATUS, '--untracked-files=normal']);
  const entries = split(stdout);
  const untracked = entries.filter((entry) => entry.startsWith('? ')).length;
  return { changed: entries.length - untracked, untracked };
}
