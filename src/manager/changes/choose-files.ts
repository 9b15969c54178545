import { accessSync, constants, lstatSync, type Stats } from 'node:fs';
import type { LeftOut } from '../../core/changes.ts';
import { isErrno } from '../../core/errors.ts';
import { directoriesAbove, type RawPath } from '../../core/raw-path.ts';
import type { Listing } from '../../git/files.ts';

/** The most bytes of a file whose content is kept. */
export const LARGEST_FILE = 10 << 20;
/** Of files that git does not know: how many are kept at most, and how many bytes of them together. */
export const MOST_FILES = 20_000;
export const MOST_BYTES = 200 << 20;

/** What an index is to be told. */
export interface Chosen {
  /** Files to be taken in as they are, or out where they are gone. */
  readonly take: readonly RawPath[];
  /** Files to be taken out whatever is there. */
  readonly drop: readonly RawPath[];
  readonly leftOut: readonly LeftOut[];
}

/** The bytes of a path below a root. */
const below = (root: string, path: RawPath): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

/** What is at a path; null where nothing is, `closed` where we may not look. */
function lookAt(path: Buffer): Stats | 'closed' | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null;
    if (isErrno(error, 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG')) return 'closed';
    throw error;
  }
}

function isReadable(path: Buffer): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM', 'ENOENT')) return false;
    throw error;
  }
}

/** Names that git takes into no index. */
function isRefusedName(path: RawPath, isLink: boolean): boolean {
  const names = path.split('/');
  return (
    names.some((name) => /^\.git$/i.test(name)) || (isLink && /^\.gitmodules$/i.test(names.at(-1) ?? ''))
  );
}

interface Candidate {
  readonly path: RawPath;
  readonly bytes: number;
  readonly mtime_ms: number;
}

/** Leaves out the largest of the directories, or files of the root, in which files are, until the others are few enough. */
function fewEnough(files: readonly Candidate[]): { kept: readonly Candidate[]; leftOut: readonly LeftOut[] } {
  const groups = new Map<RawPath, Candidate[]>();
  for (const file of files) {
    const [first = '', ...more] = file.path.split('/');
    const name = more.length === 0 ? first : `${first}/`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [file]);
    else group.push(file);
  }
  const size = (some: readonly Candidate[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  const weight = (some: readonly Candidate[]) => some.length / MOST_FILES + size(some) / MOST_BYTES;
  let [count, bytes] = [files.length, size(files)];
  const leftOut: LeftOut[] = [];
  for (const [path, group] of [...groups].sort(([, a], [, b]) => weight(b) - weight(a))) {
    if (count <= MOST_FILES && bytes <= MOST_BYTES) break;
    groups.delete(path);
    count -= group.length;
    bytes -= size(group);
    leftOut.push({ path, why: 'many', bytes: null, mtime_ms: null });
  }
  return { kept: [...groups.values()].flat(), leftOut };
}

/** Says whether a path below a root is a directory, and no link to one; what it has seen it does not look at again. */
function createDirectoryCheck(root: string): (path: RawPath) => boolean {
  const seen = new Map<RawPath, boolean>();
  return (path) => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const stat = lookAt(below(root, path));
    const is = stat !== null && stat !== 'closed' && stat.isDirectory();
    seen.set(path, is);
    return is;
  };
}

/** What is to be done with a file: taken in; left out; or, where there is none any more, nothing. */
function judge(root: string, path: RawPath, isReal: (path: RawPath) => boolean): Candidate | LeftOut | null {
  const at = below(root, path);
  const stat = directoriesAbove(path).every(isReal) ? lookAt(at) : null;
  if (stat === 'closed') return { path, why: 'unreadable', bytes: null, mtime_ms: null };
  const isLink = stat?.isSymbolicLink() ?? false;
  // Gone, or something that is not a file in its place.
  if (stat === null || !(isLink || stat.isFile())) return null;
  const file = { path, bytes: stat.size, mtime_ms: stat.mtimeMs };
  if (isRefusedName(path, isLink)) return { ...file, why: 'name' };
  if (stat.size > LARGEST_FILE) return { ...file, why: 'large' };
  return isLink || isReadable(at) ? file : { ...file, why: 'unreadable' };
}

/**
 * Decides which of the listed files an index takes in: nothing but files and links, none that is large, unreadable or behind a
 * link, and of those that git does not know not too many.
 */
export function chooseFiles(root: string, { changed, untracked }: Omit<Listing, 'nested'>): Chosen {
  const isReal = createDirectoryCheck(root);
  const [take, drop]: [RawPath[], RawPath[]] = [[], []];
  const leftOut: LeftOut[] = [];
  const fresh: Candidate[] = [];
  const known = new Set(changed);
  for (const path of [...changed, ...untracked]) {
    if (path.split('/').includes('.zwarm')) continue;
    const file = judge(root, path, isReal);
    const isIn = file !== null && !('why' in file);
    if (file !== null && 'why' in file) leftOut.push(file);
    if (known.has(path)) (isIn ? take : drop).push(path);
    else if (isIn) fresh.push(file);
  }
  const few = fewEnough(fresh);
  return {
    take: [...take, ...few.kept.map(({ path }) => path)],
    drop,
    leftOut: [...leftOut, ...few.leftOut],
  };
}
