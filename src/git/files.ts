import type { RawPath } from '../core/raw-path.ts';
import type { Git } from './git.ts';

/*
 * The files of a directory as an index of our own holds them. git runs in a repository of ours and never in one that lies in
 * that directory: it lists, takes in files that it is given by name, and writes a tree. Listing looks at other
 * repositories without running anything in them; `add` would, with their configuration.
 */

/** An index of ours, and the `listOf` where objects of the user's own repository lie. */
export interface Index {
  readonly git: Git;
  readonly path: string;
  readonly alternates: string | null;
}

/** What an index does not hold as it is in the directory. */
export interface Listing {
  /** Files that it holds otherwise, or that are gone. */
  readonly changed: readonly RawPath[];
  readonly untracked: readonly RawPath[];
  /** Directories that are repositories of their own, whose files it does not hold. */
  readonly nested: readonly RawPath[];
}

/** The variables by which git finds the objects of the user's repository, too. */
export function borrowing(alternates: string | null): Readonly<Record<string, string>> {
  return alternates === null ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates };
}

const isSpecial = /[:"\n]/;

/** Directories of objects as git takes a list of them. */
export function listOf(directories: readonly string[]): string | null {
  // The separator of the list may be in a path.
  const quoted = directories.map((path) => (isSpecial.test(path) ? JSON.stringify(path) : path));
  return quoted.length === 0 ? null : quoted.join(':');
}

const isOurs = ({ path }: Index): Readonly<Record<string, string>> => ({ GIT_INDEX_FILE: path });

/** The entries of an output that ends each with NUL. */
export function entriesOf(output: Buffer): string[] {
  return output.toString('latin1').split('\0').slice(0, -1);
}

const asInput = (paths: readonly RawPath[]): Buffer =>
  Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');

/** The directory through which people look into the store is nobody's work. */
const LIST = ['-m', '-o', '-t', '-z', '--exclude=.zwarm', '--exclude-standard'];

/** Compares an index with its directory. @throws ZwarmError `git_failed` */
export async function listFiles(index: Index, timeoutMs: number): Promise<Listing> {
  const env = { ...isOurs(index), ...borrowing(index.alternates) };
  const { stdout } = await index.git(['ls-files', ...LIST], { env, timeoutMs });
  const entries = entriesOf(stdout);
  const named = (is: (entry: string) => boolean) => [
    ...new Set(entries.filter(is).map((entry) => entry.slice(2))),
  ];
  return {
    changed: named((entry) => !entry.startsWith('? ')),
    untracked: named((entry) => entry.startsWith('? ') && !entry.endsWith('/')),
    nested: named((entry) => entry.startsWith('? ') && entry.endsWith('/')),
  };
}

/** Takes files of the directory into an index as they are now; one that is gone is taken out. @throws ZwarmError `git_failed` */
export async function takeIn(index: Index, paths: readonly RawPath[]): Promise<void> {
  if (paths.length === 0) return;
  // Refreshed, too: what was written anew as it was need not be read again the next time.
  const options = [
    '-q',
    '--unmerged',
    '--refresh',
    '--add',
    '--remove',
    '--replace',
    '--ignore-skip-worktree-entries',
    '--stdin',
  ];
  // Without the objects of the user's repository: what a later `gc` there may delete is written to our own.
  await index.git(['update-index', '-z', ...options], { env: isOurs(index), input: asInput(paths) });
}

/** Takes files out of an index, whatever is there. @throws ZwarmError `git_failed` */
export async function takeOut(index: Index, paths: readonly RawPath[]): Promise<void> {
  if (paths.length === 0) return;
  const options = ['--force-remove', '--stdin'];
  await index.git(['update-index', '-z', ...options], { env: isOurs(index), input: asInput(paths) });
}

/** Writes an index once more, as one file with all of its entries, and takes the entries of submodules out of it. */
export async function makePlain(index: Index): Promise<void> {
  const env = { ...isOurs(index), ...borrowing(index.alternates) };
  await index.git(['update-index', '--force-write-index'], { env });
  const { stdout } = await index.git(['ls-files', '-s', '-z'], { env });
  const modules = entriesOf(stdout).flatMap((entry) =>
    entry.startsWith('160000 ') ? [entry.slice(entry.indexOf('\t') + 1)] : [],
  );
  await takeOut(index, modules);
}

/** Writes the tree of an index, and returns its name. @throws ZwarmError `git_failed`, such as for one in the midst of a merge */
export async function writeTree(index: Index): Promise<string> {
  const env = { ...isOurs(index), ...borrowing(index.alternates) };
  // Its files were just taken in, or are in the pinned commit: to ask for each of them would cost as much as all the rest.
  const { stdout } = await index.git(['write-tree', '--missing-ok'], { env });
  return stdout.toString().trim();
}

/** A tree in which some paths are other files, or none where that is null; by an index that is of no use afterwards. */
export async function treeWith(
  index: Index,
  tree: string,
  files: ReadonlyMap<RawPath, { readonly mode: string; readonly object: string } | null>,
): Promise<string> {
  if (files.size === 0) return tree;
  const env = { ...isOurs(index), ...borrowing(index.alternates) };
  await index.git(['read-tree', tree], { env });
  const none = '0'.repeat(tree.length);
  const lines = [...files].map(([path, file]) => `${file?.mode ?? '0'} ${file?.object ?? none}\t${path}\0`);
  // Those that go first: a directory may come in the place of a file.
  const sorted = lines.sort((a, b) => Number(b.startsWith('0 ')) - Number(a.startsWith('0 ')));
  await index.git(['update-index', '-z', '--index-info'], {
    env,
    input: Buffer.from(sorted.join(''), 'latin1'),
  });
  return writeTree(index);
}

/** Takes out of an index what it has at some paths, and below those of directories. @throws ZwarmError `git_failed` */
export async function takeOutBelow(index: Index, paths: readonly RawPath[]): Promise<void> {
  if (paths.length === 0) return;
  const { stdout } = await index.git(['ls-files', '-z'], { env: isOurs(index) });
  const directories = paths.map((path) => path.replace(/\/?$/, '/'));
  const unwanted = entriesOf(stdout).filter(
    (entry) => paths.includes(entry) || directories.some((one) => entry.startsWith(one)),
  );
  await takeOut(index, unwanted);
}

/** A tree without what it has there, by an index that is of no use afterwards. @throws ZwarmError `git_failed` */
export async function treeWithout(index: Index, tree: string, paths: readonly RawPath[]): Promise<string> {
  if (paths.length === 0) return tree;
  const env = { ...isOurs(index), ...borrowing(index.alternates) };
  await index.git(['read-tree', tree], { env });
  await takeOutBelow(index, paths);
  return writeTree(index);
}
