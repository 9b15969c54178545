import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ZwarmError } from '../core/errors.ts';
import type { IgnoredPath, InnerRepository, TreeFacts } from '../core/rules/tree-risk.ts';
import { type Git, gitIn, type Repository } from './git.ts';

/*
 * What exists only in one tree, each fact asked from git by itself. What cannot be asked is null: it keeps the tree.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** A linked worktree as the record of its session names it; real paths. */
export interface RecordedTree extends Repository {
  readonly workTree: string;
  /** The branch that the session works on, and the one it came from; null where there is none. */
  readonly branch: string | null;
  readonly target: string | null;
  /** The words of the lock that the session has put on it; null where it has put none. */
  readonly lock: string | null;
  /** The checkout from which it was made: an ignored file that is the same there is not only here. Or null. */
  readonly origin: string | null;
}

/** What git can tell of a tree. */
export type AskedFacts = Omit<TreeFacts, 'saved' | 'occupiedBy' | 'usedBy'> & {
  /** The commit of HEAD; null where there is none. */
  readonly head: string | null;
};

/** An answer, or null where git did not give one. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ZwarmError && error.code === 'git_failed') return null;
    throw error;
  }
}

const items = (stdout: Buffer): readonly string[] => stdout.toString().split('\0').filter(Boolean);
const lines = (stdout: Buffer): readonly string[] => stdout.toString().split('\n').filter(Boolean);
const line = (stdout: Buffer): string => stdout.toString().trim();

/** How many paths differ from HEAD or are new. A renamed one has its old name as an item of its own. */
async function countUncommitted(git: Git): Promise<number> {
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames'];
  const { stdout } = await git([...args, '--ignore-submodules=all']);
  return items(stdout).filter((item) => !item.startsWith('#') && !isNested(item)).length;
}

/** The same of a tree whose directory was deleted: what was staged is left of it. */
async function countStaged(git: Git): Promise<number> {
  return items((await git(['diff-index', '--cached', '--name-only', '-z', 'HEAD'])).stdout).length;
}

/** Of what is untracked git lists no file of a nested repository, only its directory. */
const isNested = (item: string): boolean => item.startsWith('? ') && item.endsWith('/');

async function commitOf(git: Git, revision: string): Promise<string | null> {
  const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', revision], { codes: [1] });
  return code === 0 ? line(stdout) : null;
}

/** Commits of a revision that no branch but its own, no remote and no tag has. */
async function countOwnCommits(git: Git, branch: string | null, revision = 'HEAD'): Promise<number> {
  // Without `refs/heads/` before it: with that the pattern matches nothing, without a word.
  const own = branch === null ? [] : [`--exclude=${branch}`];
  const all = ['--branches', '--remotes', '--tags'];
  const { stdout } = await git(['rev-list', '--count', revision, '--not', ...own, ...all]);
  return Number(line(stdout));
}

/** Whether a branch has all that a revision changed, also where its commits are others: squashed, rebased, picked. */
async function isIntegrated(git: Git, target: string, revision = 'HEAD'): Promise<boolean> {
  // 128: they have no commit in common.
  const is = async (...args: string[]) => (await git(args, { codes: [1, 128] })).code === 0;
  if (await is('merge-base', '--is-ancestor', revision, target)) return true;
  const apart = ['--no-ext-diff', '--ignore-submodules=none', `${target}...${revision}`];
  if (await is('diff', '--quiet', ...apart)) return true;
  const treeOf = async (ref: string) => line((await git(['rev-parse', `${ref}^{tree}`])).stdout);
  const merged = await git(['merge-tree', '--write-tree', target, revision], { codes: [1, 128] });
  return merged.code === 0 && lines(merged.stdout)[0] === (await treeOf(target));
}

async function integratedIn(
  git: Git,
  { branch, target }: Pick<RecordedTree, 'branch' | 'target'>,
  revision = 'HEAD',
): Promise<string | null> {
  if (target === null || target === branch) return null;
  const ref = `refs/heads/${target}`;
  return (await commitOf(git, ref)) !== null && (await isIntegrated(git, ref, revision)) ? target : null;
}

/** What is known of a branch that nobody has checked out. @throws ZwarmError `git_failed` */
export async function askBranch(
  git: Git,
  names: { readonly branch: string; readonly target: string | null },
): Promise<Pick<AskedFacts, 'head' | 'ownCommits' | 'integratedIn'>> {
  const ref = `refs/heads/${names.branch}`;
  const head = await commitOf(git, ref);
  if (head === null) return { head, ownCommits: 0, integratedIn: null };
  const ownCommits = await countOwnCommits(git, names.branch, head);
  return { head, ownCommits, integratedIn: ownCommits === 0 ? null : await integratedIn(git, names, head) };
}

const UNFINISHED: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'a merge'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['BISECT_LOG', 'a bisection'],
];

/** The git directory of an initialised submodule if its `.git` file still leads into that of the tree; else null. */
function ownModule(tree: Repository & { workTree: string }, path: string): Repository | null {
  const workTree = join(tree.workTree, path);
  const pointer = join(workTree, '.git');
  if (!lstatSync(pointer, { throwIfNoEntry: false })?.isFile()) return null;
  const [, target] = /^gitdir: (.+)\n?$/.exec(readFileSync(pointer, 'utf8')) ?? [];
  const gitDir = target === undefined ? null : resolve(workTree, target);
  return gitDir?.startsWith(join(tree.gitDir, 'modules') + '/') ? { gitDir, workTree } : null;
}

/** What exists only in a submodule, in words. It is asked by its own git directory, never by what lies in the tree. */
async function workOfModule(git: Git): Promise<string | null> {
  const files = await countUncommitted(git);
  const { stdout } = await git(['rev-list', '--count', 'HEAD', '--not', '--remotes']);
  const commits = Number(line(stdout));
  if (files > 0) return 'a submodule with uncommitted files';
  return commits > 0 ? 'a submodule with commits that exist only there' : null;
}

/** The same of one whose files are gone: its commits, and what is staged for the next. */
async function workOfGoneModule(git: Git): Promise<string | null> {
  const staged = await countStaged(git);
  const { stdout } = await git(['rev-list', '--count', 'HEAD', '--not', '--remotes']);
  return staged + Number(line(stdout)) > 0
    ? 'a submodule whose files are gone, with work that exists only there'
    : null;
}

/** The git directories of all submodules of a tree, also of those in submodules; the trees have them, and go with them. */
function modulesIn(gitDir: string): readonly string[] {
  const below = (directory: string): readonly string[] => {
    if (existsSync(join(directory, 'HEAD'))) return [directory, ...modulesIn(directory)];
    // The name of a submodule may have several parts.
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? below(join(directory, entry.name)) : [],
    );
  };
  const modules = join(gitDir, 'modules');
  return existsSync(modules) ? below(modules) : [];
}

/** All repositories in a tree, and what exists only in them; of one whose directory was deleted the submodules are left. */
async function innerRepositories(
  tree: RecordedTree,
  git: Git,
  open: (repository: Repository) => Git,
): Promise<readonly InnerRepository[]> {
  const found: InnerRepository[] = [];
  const asked = new Set<string>();
  const unasked = 'a repository that could not be asked';
  const isGone = !existsSync(tree.workTree);
  const staged = isGone ? [] : items((await git(['ls-files', '-s', '-z'])).stdout);
  for (const entry of staged.filter((one) => one.startsWith('160000 '))) {
    const path = entry.slice(entry.indexOf('\t') + 1);
    if (lstatSync(join(tree.workTree, path, '.git'), { throwIfNoEntry: false }) === undefined) continue;
    const module = ownModule(tree, path);
    if (module !== null) asked.add(module.gitDir);
    const answer = module && (await orNull(workOfModule(open(module)).then((work) => ({ work }))));
    found.push({ path, work: answer === null ? unasked : answer.work });
  }
  for (const gitDir of modulesIn(tree.gitDir)) {
    if (asked.has(gitDir)) continue;
    // As its own configuration names a directory that may not be there.
    const module = open({ gitDir, workTree: gitDir });
    const answer = await orNull(workOfGoneModule(module).then((work) => ({ work })));
    found.push({
      path: relative(join(tree.gitDir, 'modules'), gitDir),
      work: answer === null ? unasked : answer.work,
    });
  }
  if (isGone) return found;
  const others = await git(['ls-files', '-o', '-z']);
  for (const path of items(others.stdout).filter((one) => one.endsWith('/')))
    found.push({ path, work: 'a repository of its own, which was not asked' });
  return found;
}

/** Directories that tools make again: their content is nobody's work. */
const CACHES = new Set(
  `node_modules .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox target dist build out .next .nuxt .turbo
   .cache .parcel-cache .gradle coverage .nyc_output .svelte-kit bin obj Pods DerivedData vendor`.split(
    /\s+/,
  ),
);
const LARGE_BYTES = 1 << 20;
/** So many ignored files are looked at one by one; a directory with more is of value. */
const MOST_FILES = 10_000;

function* filesIn(path: string): Generator<{ path: string; bytes: number }> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) for (const name of readdirSync(path)) yield* filesIn(join(path, name));
  else if (stat !== undefined) yield { path, bytes: stat.size };
}

/** Whether a file, so long, has the same content at another path. */
function isSame(file: { path: string; bytes: number }, other: string): boolean {
  const there = lstatSync(other, { throwIfNoEntry: false });
  if (!there?.isFile() || there.size !== file.bytes || !lstatSync(file.path).isFile()) return false;
  return readFileSync(file.path).equals(readFileSync(other));
}

/** An ignored path as git lists it: a directory, all of which is ignored, ends with a slash. */
function ignoredPath({ workTree, origin }: RecordedTree, path: string): IgnoredPath {
  if (path.split('/').some((name) => CACHES.has(name))) return { path, bytes: null, counts: false };
  let bytes = 0;
  let seen = 0;
  let counts = false;
  for (const file of filesIn(join(workTree, path))) {
    seen += 1;
    bytes += file.bytes;
    const isOfValue = () =>
      origin === null || !isSame(file, join(origin, file.path.slice(workTree.length + 1)));
    counts ||= seen > MOST_FILES || (file.bytes < LARGE_BYTES && isOfValue());
    if (seen > MOST_FILES) break;
  }
  return { path, bytes, counts };
}

async function ignoredPaths(tree: RecordedTree, git: Git): Promise<readonly IgnoredPath[]> {
  const { stdout } = await git(['ls-files', '-o', '-i', '--exclude-standard', '--directory', '-z']);
  return items(stdout).map((path) => ignoredPath(tree, path));
}

/**
 * Why a tree may not be removed by its record, as its git directory says (gitrepository-layout(5)): git knows it at another
 * place, or somebody else locks it. `git worktree list` would look at all others for that.
 */
function foreignBy({ workTree, gitDir, lock }: RecordedTree): string | null {
  const pointer = join(gitDir, 'gitdir');
  if (!existsSync(pointer)) return 'git knows no worktree by that record';
  if (resolve(gitDir, readFileSync(pointer, 'utf8').trim()) !== join(workTree, '.git'))
    return 'git knows the worktree at another place';
  const locked = join(gitDir, 'locked');
  const reason = existsSync(locked) ? readFileSync(locked, 'utf8').trim() : null;
  return reason === null || reason === lock ? null : `it is locked: ${reason || 'without a reason'}`;
}

/**
 * What git tells of a tree whose session is not running. Nothing is changed, and nothing that lies in the tree decides what
 * runs. @param program of `findGit`
 */
export async function askTree(tree: RecordedTree, program: string, env: Environment): Promise<AskedFacts> {
  const open = (repository: Repository): Git => gitIn(repository, program, env);
  const foreign = foreignBy(tree);
  const unknown = { head: null, uncommitted: null, ownCommits: null, integratedIn: null, branch: null };
  const nothing = { ...unknown, unfinished: null, inner: null, ignored: null, ownRefs: null };
  if (foreign !== null) return { ...nothing, foreign };
  // Of a tree whose directory was deleted the commits are left.
  const isGone = !existsSync(tree.workTree);
  const git = open(isGone ? { ...tree, workTree: null } : tree);
  const [name, head] = await Promise.all([
    orNull(git(['symbolic-ref', '--quiet', 'HEAD'], { codes: [1] })),
    orNull(commitOf(git, 'HEAD').then((commit) => ({ commit }))),
  ]);
  const branch = name === null || name.code !== 0 ? null : line(name.stdout).replace(/^refs\/heads\//, '');
  const refs = orNull(git(['for-each-ref', '--format=%(refname)', 'refs/worktree', 'refs/bisect']));
  const commits = async () => {
    if (head === null) return { own: null, integrated: null };
    const own = head.commit === null ? 0 : await orNull(countOwnCommits(git, branch));
    return { own, integrated: own ? await orNull(integratedIn(git, { ...tree, branch })) : null };
  };
  const [uncommitted, { own: ownCommits, integrated }, inner, ignored, ownRefs] = await Promise.all([
    orNull(isGone ? countStaged(git) : countUncommitted(git)),
    commits(),
    orNull(innerRepositories(tree, git, open)),
    isGone ? [] : orNull(ignoredPaths(tree, git)),
    refs.then((answer) => answer && lines(answer.stdout)),
  ]);
  const unfinished = UNFINISHED.find(([file]) => existsSync(join(tree.gitDir, file)))?.[1] ?? null;
  return {
    foreign: null,
    head: head?.commit ?? null,
    uncommitted,
    ownCommits,
    integratedIn: integrated,
    branch,
    unfinished,
    inner,
    ignored,
    ownRefs,
  };
}
