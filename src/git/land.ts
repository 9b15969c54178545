import { ZwarmError } from '../core/errors.ts';
import { type RawPath, textOfPath } from '../core/raw-path.ts';
import { entriesOf, takeOutBelow } from './files.ts';
import type { Git } from './git.ts';
import { type Merged, mergeTrees } from './merge.ts';
import { listWorktrees } from './worktree.ts';

/** As one commit, as a merge of the tree's own commits, or with these put one by one on top of the branch. */
export const LAND_WAYS = ['squash', 'commits', 'rebase'] as const;
export type LandWay = (typeof LAND_WAYS)[number];

/** What is to come onto a branch. */
export interface Work {
  /** The commit that is checked out in the tree of the session. */
  readonly head: string;
  /** Its files as they are now, also those that nobody has committed. */
  readonly tree: string;
  /** The tree from which the work began, where that is known better than by the history; or null. */
  readonly base: string | null;
}

/** How it comes there. */
export interface LandOptions {
  readonly way: LandWay;
  /** For the commit of what nobody has committed, and of the merge. */
  readonly message: string;
  /** The names and addresses of who commits, as variables of git; empty where git's configuration has them. */
  readonly identity: Readonly<Record<string, string>>;
}

/** A branch, its commit now and the one that it is to get. */
export interface Landing {
  readonly onto: string;
  readonly from: string;
  readonly commit: string;
}

/** What came of preparing a landing: nothing has moved. */
export type Prepared =
  | { readonly kind: 'ready'; readonly landing: Landing }
  /** The branch has all of it. */
  | { readonly kind: 'nothing'; readonly onto: string; readonly from: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] };

const word = async (git: Git, ...args: readonly string[]): Promise<string> =>
  (await git(args)).stdout.toString().trim();
/** The tree of a commit. @throws ZwarmError `git_failed` */
export const treeOf = (git: Git, commit: string): Promise<string> =>
  word(git, 'rev-parse', '--verify', `${commit}^{tree}`);
const lines = (stdout: Buffer): readonly string[] => stdout.toString().split('\n').filter(Boolean);

/** Makes a commit; git has words of its own for who has no name yet. @throws ZwarmError `git_failed` */
async function commit(
  git: Git,
  tree: string,
  parents: readonly string[],
  { message, identity }: Pick<LandOptions, 'message' | 'identity'>,
): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return (await git(args, { input: message, env: identity })).stdout.toString().trim();
}

/** A commit of what nobody has committed, on top of the tree's own. */
const committed = async (git: Git, { head, tree }: Work, options: LandOptions): Promise<string> =>
  tree === (await treeOf(git, head)) ? head : commit(git, tree, [head], options);

class Conflict {
  readonly files: readonly string[];
  constructor(files: readonly string[]) {
    this.files = files;
  }
}

async function mergedTree(git: Git, base: string, ours: string, theirs: string): Promise<string> {
  const merged = await mergeTrees(git, base, ours, theirs);
  if (merged.conflicts.length > 0) throw new Conflict(merged.conflicts.map(textOfPath));
  return merged.tree;
}

/** The commits of the tree, each on top of the one before it, with its own message and author. */
async function rebased(git: Git, from: string, work: Work, options: LandOptions): Promise<string> {
  const args = ['rev-list', '--reverse', '--topo-order', '--no-merges', `${from}..${work.head}`];
  const own = lines((await git(args)).stdout);
  let tip = from;
  for (const one of own) {
    const tree = await mergedTree(git, `${one}^^{tree}`, `${tip}^{tree}`, `${one}^{tree}`);
    if (tree === (await treeOf(git, tip))) continue;
    const [name = '', email = '', at = '', message = ''] = (
      await git(['log', '-1', '--format=%an%x00%ae%x00%aI%x00%B', one])
    ).stdout
      .toString()
      .split('\0');
    const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: at };
    tip = await commit(git, tree, [tip], { message, identity: { ...options.identity, ...author } });
  }
  const tree = await mergedTree(git, `${work.head}^{tree}`, `${tip}^{tree}`, work.tree);
  return tree === (await treeOf(git, tip)) ? tip : commit(git, tree, [tip], options);
}

/** The tree from which work and branch went on. */
const baseOf = async (git: Git, from: string, { head, base }: Work): Promise<string> =>
  base ?? `${await word(git, 'merge-base', from, head)}^{tree}`;

/** The commit of a branch; what names a commit otherwise, such as `main~1`, is none. @throws ZwarmError `usage`, `git_failed` */
export async function commitOf(git: Git, branch: string): Promise<string> {
  const args = ['show-ref', '--verify', '--hash', '--', `refs/heads/${branch}`];
  const { code, stdout } = await git(args, { codes: [1, 128] });
  if (code === 0) return stdout.toString().trim();
  throw new ZwarmError('usage', `there is no branch ${branch}`, 'name one that is there: --onto BRANCH');
}

/** Merges a commit of a branch into work: what both changed otherwise lies between markers. @throws ZwarmError `git_failed` */
export async function mergeIntoWork(git: Git, from: string, work: Work): Promise<Merged> {
  return mergeTrees(git, await baseOf(git, from, work), `${from}^{tree}`, work.tree);
}

/** Those of some files of a tree that have markers of a merge. @throws ZwarmError `git_failed` */
export async function withMarkers(
  git: Git,
  tree: string,
  paths: readonly RawPath[],
): Promise<readonly RawPath[]> {
  const entries = await entriesIn(git, ['ls-tree', '-r', '-z', tree]);
  const wanted = new Set(paths);
  const found: RawPath[] = [];
  for (const entry of entries) {
    const [, kind, object = ''] = entry.split('\t', 1)[0]?.split(' ') ?? [];
    if (kind !== 'blob' || !wanted.has(pathOf(entry))) continue;
    const text = (await git(['cat-file', 'blob', object])).stdout.toString('latin1');
    if (/^<{7} /m.test(text) && /^>{7} /m.test(text)) found.push(pathOf(entry));
  }
  return found;
}

/** The commit that a branch gets. */
async function landed(git: Git, from: string, work: Work, options: LandOptions): Promise<string> {
  if (options.way === 'rebase') return rebased(git, from, work, options);
  const tree = await mergedTree(git, await baseOf(git, from, work), `${from}^{tree}`, work.tree);
  if (tree === (await treeOf(git, from))) return from;
  if (options.way === 'squash') return commit(git, tree, [from], options);
  const own = await committed(git, work, options);
  const isAhead = (await git(['merge-base', '--is-ancestor', from, own], { codes: [1] })).code === 0;
  return isAhead ? own : commit(git, tree, [from, own], options);
}

/** Makes the commits that bring work onto a branch, and moves nothing. @throws ZwarmError `usage`, `git_failed` */
export async function prepareLanding(
  git: Git,
  onto: string,
  work: Work,
  options: LandOptions,
): Promise<Prepared> {
  const from = await commitOf(git, onto);
  try {
    const made = await landed(git, from, work, options);
    if (made === from) return { kind: 'nothing', onto, from };
    return { kind: 'ready', landing: { onto, from, commit: made } };
  } catch (error) {
    if (error instanceof Conflict) return { kind: 'conflict', files: error.files };
    throw error;
  }
}

const entriesIn = async (git: Git, args: readonly string[], env = {}): Promise<readonly string[]> =>
  entriesOf((await git(args, { env })).stdout);

const pathOf = (entry: string): RawPath => entry.slice(entry.indexOf('\t') + 1);

/** The paths of the submodules of a commit. @throws ZwarmError `git_failed` */
export async function submodulePaths(git: Git, commit: string): Promise<readonly RawPath[]> {
  const entries = await entriesIn(git, ['ls-tree', '-r', '-z', commit]);
  return entries.filter((entry) => entry.startsWith('160000 ')).map(pathOf);
}

/**
 * A tree in which each submodule of a commit, and each file at `paths`, is as it is in that commit: a snapshot has the files of
 * the one instead, and nothing of the other. `index` is a path for an index that is not there yet. @throws ZwarmError `git_failed`
 */
export async function asCommitted(
  git: Git,
  tree: string,
  {
    head,
    paths,
    index,
  }: { readonly head: string; readonly paths: readonly RawPath[]; readonly index: string },
): Promise<string> {
  const all = await entriesIn(git, ['ls-tree', '-r', '-z', head]);
  const files = paths.filter((path) => !path.endsWith('/'));
  const wanted = new Set(files);
  const kept = all.filter((entry) => entry.startsWith('160000 ') || wanted.has(pathOf(entry)));
  if (kept.length + files.length === 0) return tree;
  const ours = { git, path: index, alternates: null };
  const env = { GIT_INDEX_FILE: index };
  await git(['read-tree', tree], { env });
  await takeOutBelow(ours, [...kept.map(pathOf), ...files]);
  if (kept.length > 0) {
    const input = Buffer.from(kept.map((entry) => `${entry}\0`).join(''), 'latin1');
    await git(['update-index', '-z', '--index-info'], { env, input });
  }
  return (await git(['write-tree', '--missing-ok'], { env })).stdout.toString().trim();
}

/** Brings what a landing has made in another repository, which `git` sees as well, into the user's own as a pack. */
export async function bringObjects(git: Git, { from, commit }: Landing, packs: string): Promise<void> {
  const { stdout } = await git(['rev-list', '--objects', commit, `^${from}`]);
  const names = lines(stdout).map((one) => one.split(' ', 1)[0]);
  await git(['pack-objects', '-q', packs], { input: `${names.join('\n')}\n` });
}

/** The checkout that has a branch, or null; bare repositories have none. */
export async function checkoutOf(git: Git, branch: string): Promise<string | null> {
  const found = (await listWorktrees(git)).find((all) => all.includes(`branch refs/heads/${branch}`));
  return found?.find((one) => one.startsWith('worktree '))?.slice('worktree '.length) ?? null;
}

/**
 * Moves a branch to its new commit, in the checkout that has it if there is one: together with the files, unless somebody
 * has changed one of these there. @returns false where the branch has moved meanwhile @throws ZwarmError `conflict`
 */
export async function moveBranch(
  git: Git,
  { onto, from, commit }: Landing,
  checkout: Git | null,
): Promise<boolean> {
  const ref = `refs/heads/${onto}`;
  if (checkout === null) {
    const { code } = await git(['update-ref', '-m', 'zwarm land', ref, commit, from], { codes: [1, 128] });
    return code === 0;
  }
  const { code, stderr } = await checkout(['merge', '--quiet', '--ff-only', '--no-edit', commit], {
    codes: [1, 128],
  });
  if (code === 0) return true;
  if ((await word(git, 'rev-parse', '--verify', ref)) !== from) return false;
  const files = stderr
    .split('\n')
    .filter((one) => one.startsWith('\t'))
    .map((one) => one.trim());
  const what = files.length > 0 ? `they have changes of their own: ${files.join(', ')}` : stderr.trim();
  throw new ZwarmError(
    'conflict',
    `the checkout of ${onto} was left as it is: ${what}`,
    'commit or stash them',
  );
}
