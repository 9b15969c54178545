import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../core/errors.ts';
import { createUnflushed, discard, makeDir, publishOnce, rename } from './files.ts';
import type { OwnCheckout } from './git.ts';
import { BUILDING_PREFIX, snapshotsDir, type TurnDir, turnDir, turnFile } from './layout.ts';
import { entriesOf, isRealDirectory, lookAt, readSmall, readText, unlessDamaged } from './read-file.ts';
import { encode, type SnapshotRecord } from './records.ts';
import type { StoredSession } from './sessions.ts';

/*
 * The repository in which the snapshots of a session are: trees and files, without commits or refs. Nothing is ever removed
 * from it but with the session. `index.<tree>` is the index of the last snapshot: by its times the next one sees
 * which files have changed since.
 */

const CONFIG_LIMIT = 1 << 20;
const textOf = (path: string): string => unlessDamaged(() => readText(path, CONFIG_LIMIT)) ?? '';

/** A path in a configuration of git. */
const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

/**
 * The configuration of our repository. What decides how files are read is the user's: names that are ignored, ends of lines.
 * What runs a program is not: `info/attributes` switches every filter and merge driver off, and each call the rest.
 */
function configOf(user: OwnCheckout | null): string {
  const included = user === null ? [] : [join(user.common, 'config'), join(user.gitDir, 'config.worktree')];
  const format = user === null ? '' : textOf(join(user.common, 'config'));
  const isSha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(format);
  return [
    ...included.flatMap((path) => ['[include]', `\tpath = ${quoted(path)}`]),
    '[core]',
    `\trepositoryFormatVersion = ${isSha256 ? 1 : 0}`,
    ...[
      'bare = false',
      'splitIndex = false',
      'safecrlf = false',
      'looseCompression = 1',
      'sharedRepository = 0600',
    ].map((one) => `\t${one}`),
    // Names that only other systems do not take.
    ...['protectNTFS = false', 'protectHFS = false'].map((one) => `\t${one}`),
    '[index]\n\tsparse = false',
    ...(isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    '',
  ].join('\n');
}

/** Makes the repository for the snapshots of a session, unless it is there. */
export function makeSnapshots(session: StoredSession, user: OwnCheckout | null, unique: string): void {
  const path = snapshotsDir(session);
  if (isRealDirectory(path)) return;
  const building = join(path, '..', `${BUILDING_PREFIX}${unique}`);
  makeDir(building);
  try {
    for (const name of ['objects', 'objects/pack', 'refs', 'info']) makeDir(join(building, name));
    const exclude = user === null ? '' : textOf(join(user.common, 'info', 'exclude'));
    const sparse = user === null ? '' : textOf(join(user.gitDir, 'info', 'sparse-checkout'));
    for (const [name, content] of [
      ['HEAD', 'ref: refs/heads/none\n'],
      ['config', configOf(user)],
      ['info/attributes', '* -filter merge\n'],
      ['info/exclude', exclude],
      ['info/sparse-checkout', sparse],
    ] as const)
      createUnflushed(join(building, name), content);
    rename(building, path);
  } catch (error) {
    discard(building);
    // Another command has made it.
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

const INDEX = /^index\.([0-9a-f]{40,64})$/;
const INDEX_LIMIT = 1 << 29;

/** An index of a snapshot, and the tree that it is the index of. */
interface TreeIndex {
  readonly path: string;
  readonly tree: string;
}

/** The indexes that are there, the newest first. */
function indexesOf(snapshots: string): readonly TreeIndex[] {
  const found = entriesOf(snapshots).flatMap(({ name }) => {
    const tree = INDEX.exec(name)?.[1];
    const path = join(snapshots, name);
    const stat = tree === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
    return tree === undefined || stat === undefined ? [] : [{ path, tree, at: stat.ctimeMs }];
  });
  return found.sort((a, b) => b.at - a.at);
}

/** The index of the last snapshot; null before the first. */
export const lastIndex = (snapshots: string): TreeIndex | null => indexesOf(snapshots)[0] ?? null;

/** Copies an index with its time, by which git knows what may have changed since; its bytes, null where there is none. */
function copyIndex(from: string, to: string): Buffer | null {
  const file = readSmall(from, INDEX_LIMIT);
  if (file === null) return null;
  // Never later than it was: a file of that very time may have changed behind it.
  createUnflushed(to, file.bytes, Math.floor(file.mtimeMs));
  return file.bytes;
}

/** A copy of an index to work on, which `keepIndex` gives its place. */
export function workingIndex(snapshots: string, from: string, unique: string): string {
  const path = join(snapshots, `${BUILDING_PREFIX}${unique}`);
  copyIndex(from, path);
  return path;
}

/** The mode of a submodule. */
const MODULE = Buffer.from([0, 0, 0xe0, 0]);

/**
 * Whether an index may name a submodule. In versions 2 and 3 the entries begin 12 bytes in, each takes a multiple of 8, and the
 * mode is its 24th byte (gitformat-index(5)); the same bytes elsewhere are a size, for example.
 */
function mayHaveModules(index: Buffer): boolean {
  const isAligned = (index[7] ?? 0) < 4;
  for (let at = index.indexOf(MODULE); at !== -1; at = index.indexOf(MODULE, at + 1))
    if (!isAligned || at % 8 === 4) return true;
  return false;
}

/** Whether an index may have what only git can make plain: parts in other files, directories as one entry, submodules. */
const isOdd = (index: Buffer): boolean =>
  index.includes('link\0') || index.includes('sdir\0') || mayHaveModules(index);

/** Version 2, no entries, and a digest of zeros, which is one that is not checked. */
const EMPTY_INDEX = Buffer.concat([Buffer.from('DIRC'), Buffer.from([0, 0, 0, 2]), Buffer.alloc(4 + 20)]);

/** The same of the user's own index, an empty one where there is none; `odd` where it has to be made plain. */
export function seedIndex(
  snapshots: string,
  user: OwnCheckout | null,
  unique: string,
): { readonly path: string; readonly state: 'plain' | 'odd' } {
  const path = join(snapshots, `${BUILDING_PREFIX}${unique}`);
  const bytes = user === null ? null : copyIndex(join(user.gitDir, 'index'), path);
  if (user === null || bytes === null) {
    createUnflushed(path, EMPTY_INDEX);
    return { path, state: 'plain' };
  }
  if (!isOdd(bytes)) return { path, state: 'plain' };
  // The other part of a split index, which is looked for in the repository.
  for (const { name } of entriesOf(user.gitDir)) {
    const to = join(snapshots, name);
    const isPart = /^sharedindex\.[0-9a-f]+$/.test(name);
    if (isPart && lookAt(to) === null) copyIndex(join(user.gitDir, name), to);
  }
  return { path, state: 'odd' };
}

/** Gives the index of a new snapshot the place of the last one, which another command may be reading. */
export function keepIndex(snapshots: string, index: string, tree: string): void {
  const [, ...older] = indexesOf(snapshots);
  rename(index, join(snapshots, `index.${tree}`));
  for (const one of older) if (one.tree !== tree) discard(one.path);
}

/** Whether an object is in our own repository; one in a pack counts as not. */
export function hasObject(snapshots: string, object: string): boolean {
  const path = join(snapshots, 'objects', object.slice(0, 2), object.slice(2));
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A snapshot that is about to be recorded; what the turn has changed, only of one after it. */
export type NewSnapshot = Omit<SnapshotRecord, Counted> & Partial<Pick<SnapshotRecord, Counted>>;
type Counted = 'changed' | 'total';

/** Records a snapshot, unless that was done: whoever has one first. */
export function publishSnapshot(
  turn: TurnDir,
  when: 'before' | 'after',
  record: NewSnapshot,
  unique: string,
): boolean {
  return publishOnce(
    turnFile(turn, when),
    encode(record),
    join(turnDir(turn), `${BUILDING_PREFIX}${unique}`),
  );
}
