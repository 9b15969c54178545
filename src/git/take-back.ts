import { directoriesAbove, type RawPath } from '../core/raw-path.ts';
import { compareEntries, type Entry, type EntryPair } from './compare.ts';
import { borrowing, entriesOf, type Index, treeWith } from './files.ts';
import { withVariables } from './git.ts';
import { mergeTrees } from './merge.ts';

/** A change from one tree to another. */
export interface TreeChange {
  readonly before: string;
  readonly after: string;
  /** Paths that are not part of it. */
  readonly without: readonly RawPath[];
}

const isSame = (one: Entry | null, other: Entry | null): boolean =>
  one?.object === other?.object && one?.mode === other?.mode;

/** A file that both sides have changed, in its three versions. */
interface Contested {
  readonly path: RawPath;
  readonly versions: readonly [base: Entry, ours: Entry, theirs: Entry];
}

/**
 * Merges the contents of files that are in all three versions: in trees that hold these alone, by numbers, so that git takes
 * none of them for another one that was renamed.
 */
async function mergeContents(
  { git: plain, alternates }: Index,
  files: readonly Contested[],
): Promise<{ readonly merged: ReadonlyMap<RawPath, Entry>; readonly conflicts: readonly RawPath[] }> {
  const merged = new Map<RawPath, Entry>();
  if (files.length === 0) return { merged, conflicts: [] };
  const git = withVariables(plain, borrowing(alternates));
  const [base, ours, theirs] = await Promise.all(
    [0, 1, 2].map(async (version) => {
      const lines = files.map(({ versions }, i) => {
        const { mode = '', object = '' } = versions[version] ?? {};
        return `${mode} blob ${object}\t${i}\0`;
      });
      return (await git(['mktree', '-z'], { input: lines.join('') })).stdout.toString().trim();
    }),
  );
  const found = await mergeTrees(git, base ?? '', ours ?? '', theirs ?? '');
  if (found.conflicts.length > 0) {
    const numbers = new Set(found.conflicts.map((name) => Number.parseInt(name, 10)));
    const named = files.flatMap(({ path }, i) => (numbers.has(i) ? [path] : []));
    // It may name a path of its own making: then it could be any of them.
    return { merged, conflicts: named.length > 0 ? named : files.map(({ path }) => path) };
  }
  const { stdout } = await git(['ls-tree', '-z', found.tree]);
  for (const entry of entriesOf(stdout)) {
    const [, mode = '', object = '', number = ''] = /^(\d+) blob (\w+)\t(\d+)$/.exec(entry) ?? [];
    const path = files[Number(number)]?.path;
    if (path !== undefined) merged.set(path, { mode, object });
  }
  return { merged, conflicts: [] };
}

/** A path that would be a file and a directory at once: something was made since where a file is to be, or above it. */
function isBlocked(path: RawPath, since: ReadonlyMap<RawPath, EntryPair>): boolean {
  const isThere = (one: RawPath): boolean => (since.get(one)?.to ?? null) !== null;
  return (
    directoriesAbove(path).some(isThere) ||
    [...since.keys()].some((one) => one.startsWith(`${path}/`) && isThere(one))
  );
}

/** The tree without a change, or the paths of which nobody can say what they would be. */
export type TakenBack = { readonly tree: string } | { readonly conflicts: readonly RawPath[] };

/**
 * Takes a change out of a later tree: each path of the change is as it was before, unless it has changed since; then the
 * contents are merged. All other paths are as they are. @throws ZwarmError `git_failed`
 */
export async function takeBack(index: Index, ours: string, change: TreeChange): Promise<TakenBack> {
  const { git, alternates } = index;
  const [undone, since] = await Promise.all([
    compareEntries({ git, alternates, from: change.after, to: change.before }),
    compareEntries({ git, alternates, from: change.after, to: ours }),
  ]);
  const without = new Set(change.without);
  const files = new Map<RawPath, Entry | null>();
  const contested: Contested[] = [];
  const conflicts: RawPath[] = [];
  for (const [path, { from: base, to: theirs }] of undone) {
    if (without.has(path)) continue;
    const now = since.has(path) ? (since.get(path)?.to ?? null) : base;
    if (isSame(now, theirs)) continue;
    if (!isSame(now, base)) {
      if (base !== null && now !== null && theirs !== null)
        contested.push({ path, versions: [base, now, theirs] });
      else conflicts.push(path);
    } else if (theirs !== null && isBlocked(path, since)) conflicts.push(path);
    else files.set(path, theirs);
  }
  const contents = await mergeContents(index, contested);
  const all = [...conflicts, ...contents.conflicts];
  if (all.length > 0) return { conflicts: all.sort() };
  return { tree: await treeWith(index, ours, new Map([...files, ...contents.merged])) };
}
