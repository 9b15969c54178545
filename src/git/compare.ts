import type { FileChange } from '../core/changes.ts';
import { isText, type RawPath, textOfPath } from '../core/raw-path.ts';
import { borrowing, entriesOf } from './files.ts';
import type { Git } from './git.ts';

/** Two trees of a repository of ours, which borrows objects from the user's own. */
export interface Pair {
  readonly git: Git;
  readonly alternates: string | null;
  readonly from: string;
  readonly to: string;
}

/** The tree without files, in a repository whose names have as many digits as that of another object. */
export function emptyTree(like: string): string {
  return like.length === 40
    ? '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
    : '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321';
}

const PLAIN = ['-r', '-M', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];

/** What differs between two trees. */
export interface Comparison {
  readonly changes: readonly FileChange[];
  /** The objects of the second one, trees too, that are not in the first. */
  readonly objects: readonly string[];
}

const KINDS: Readonly<Record<string, FileChange['kind']>> = {
  A: 'added',
  C: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type_changed',
};

/** One line of `--raw`, and the paths behind it. */
function readRaw(head: string, paths: readonly RawPath[]) {
  const [mode = '', newMode = '', , object = '', status = ''] = head.slice(1).split(' ');
  const isTree = [mode, newMode].includes('040000');
  const path = paths.at(-1) ?? '';
  const from = status.startsWith('R') ? (paths[0] ?? null) : null;
  return { object: /^0+$/.test(object) ? null : object, isTree, status: status.slice(0, 1), path, from };
}

const lines = (text: string | undefined): number | null => (text === '-' ? null : Number(text));

/** Reads what `--raw --numstat -z` prints: first all lines of the one, then all of the other. */
function readOutput(output: Buffer): Comparison {
  const entries = entriesOf(output);
  const objects: string[] = [];
  const raw: ReturnType<typeof readRaw>[] = [];
  let at = 0;
  while (entries[at]?.startsWith(':')) {
    const count = /^:.* [RC]\d*$/.test(entries[at] ?? '') ? 2 : 1;
    const one = readRaw(entries[at] ?? '', entries.slice(at + 1, at + 1 + count));
    if (one.object !== null) objects.push(one.object);
    if (!one.isTree || one.status === 'T') raw.push(one);
    at += 1 + count;
  }
  const counts = new Map<RawPath, readonly [number | null, number | null]>();
  while (at < entries.length) {
    const [added, removed, path = ''] = (entries[at] ?? '').split('\t', 3);
    const rest = (entries[at] ?? '').slice(`${added}\t${removed}\t`.length);
    // Of a file that was renamed, both paths come behind.
    counts.set((path === '' ? entries[at + 2] : rest) ?? '', [lines(added), lines(removed)]);
    at += path === '' ? 3 : 1;
  }
  const changes = raw.flatMap(({ status, path, from, isTree }): FileChange[] => {
    if (isTree) return [];
    const [added = null, removed = null] = counts.get(path) ?? [];
    return [{ kind: KINDS[status] ?? 'unknown', path, from, added, removed }];
  });
  return { changes, objects };
}

/** The files that differ between two trees, with their lines. @throws ZwarmError `git_failed` */
export async function compareTrees({ git, alternates, from, to }: Pair): Promise<Comparison> {
  if (from === to) return { changes: [], objects: [] };
  const args = ['diff-tree', ...PLAIN, '-t', '-z', '--raw', '--numstat', from, to];
  const { changes, objects } = readOutput((await git(args, { env: borrowing(alternates) })).stdout);
  // The tree itself is not among what it lists.
  return { changes, objects: [...objects, to] };
}

/** A file in a tree: its mode and the name of its content. */
export interface Entry {
  readonly mode: string;
  readonly object: string;
}

/** A path in two trees; null where it is not there. */
export interface EntryPair {
  readonly from: Entry | null;
  readonly to: Entry | null;
}

/** The paths that differ between two trees, none of them taken for another one's. @throws ZwarmError `git_failed` */
export async function compareEntries({
  git,
  alternates,
  from,
  to,
}: Pair): Promise<ReadonlyMap<RawPath, EntryPair>> {
  const found = new Map<RawPath, EntryPair>();
  if (from === to) return found;
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to];
  const entries = entriesOf((await git(args, { env: borrowing(alternates) })).stdout);
  for (let at = 0; at + 1 < entries.length; at += 2) {
    const [mode = '', newMode = '', object = '', newObject = ''] = (entries[at] ?? '').slice(1).split(' ');
    const entry = (mode: string, object: string) => (/^0+$/.test(mode) ? null : { mode, object });
    found.set(entries[at + 1] ?? '', { from: entry(mode, object), to: entry(newMode, newObject) });
  }
  return found;
}

/** What of a patch is wanted. */
export interface PatchOptions {
  /** With the content of files that are not text, so that it can be applied. */
  readonly binary: boolean;
  /** Only these files, and below these directories; everything where that is null. */
  readonly only: readonly RawPath[] | null;
  /** Not these. */
  readonly without: readonly RawPath[];
}

/** A path as a pathspec. An argument is text: of a name that is not, each byte of other alphabets stands for any. */
function pathspecOf(path: RawPath, exclude = ''): string {
  const name = path.replace(/\/$/, '');
  if (isText(name)) return `:(top${exclude},literal)${textOfPath(name)}`;
  return `:(top${exclude},glob)${name.replace(/[\\*?[\]]/g, '\\$&').replace(/[^\0-\x7f]/g, '?')}`;
}

/** More in one call may be more than the system takes. */
const MOST_PATHS = 500;

/** The difference between two trees as a patch, byte for byte. @throws ZwarmError `git_failed` */
export async function patchOf(
  { git, alternates, from, to }: Pair,
  { binary, only, without }: PatchOptions,
): Promise<Buffer> {
  if (from === to) return Buffer.alloc(0);
  const form = ['-p', ...(binary ? ['--binary', '--full-index'] : [])];
  const unwanted = without.map((path) => pathspecOf(path, ',exclude'));
  const part = async (wanted: readonly string[]): Promise<Buffer> => {
    const args = ['diff-tree', ...PLAIN, ...form, from, to, '--', ...wanted, ...unwanted];
    return (await git(args, { env: borrowing(alternates) })).stdout;
  };
  if (only === null) return part([':(top)']);
  const parts: Buffer[] = [];
  for (let at = 0; at < only.length; at += MOST_PATHS)
    parts.push(await part(only.slice(at, at + MOST_PATHS).map((path) => pathspecOf(path))));
  return Buffer.concat(parts);
}

/**
 * Copies objects of the user's repository into our own, as far as they are not there: whoever cleans up over there takes
 * none of ours away. `isOurs` says which are. @throws ZwarmError `git_failed`
 */
export async function keepObjects(
  { git, alternates }: Pick<Pair, 'git' | 'alternates'>,
  objects: readonly string[],
  { isOurs, packs }: { isOurs(object: string): boolean; readonly packs: string },
): Promise<void> {
  const foreign = alternates === null ? [] : objects.filter((object) => !isOurs(object));
  if (foreign.length === 0) return;
  const input = `${[...new Set(foreign)].join('\n')}\n`;
  await git(['pack-objects', '-q', packs], { env: borrowing(alternates), input });
}
