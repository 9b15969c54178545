import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import type { Git } from '../../git/git.ts';
import { changesIn, completeIndex } from '../../git/worktree.ts';
import { copyEntry, discard, discardEmpty, makeDir, removeEntry, rename } from '../../store/files.ts';
import type { FoundCheckout, OwnCheckout } from '../../store/git.ts';
import { lookAt } from '../../store/read-file.ts';

/** A checkout and how git is asked there. */
interface Checkout extends Pick<FoundCheckout, 'root' | 'gitDir'> {
  readonly git: Git;
}

const below = (root: string, path: Buffer): Buffer => Buffer.concat([Buffer.from(`${root}/`), path]);

const look = (path: Buffer) => lstatSync(path, { throwIfNoEntry: false });

/** The directories above a path in a checkout, the outermost first, its root left out. */
function above(path: Buffer): readonly Buffer[] {
  const slashes = [...path.entries()].filter(([at, byte]) => byte === 0x2f && at < path.length - 1);
  return slashes.map(([at]) => path.subarray(0, at));
}

/** Whether all directories above a path are real: a link among them leads out of the checkout. */
export function isReached(root: string, path: Buffer): boolean {
  return above(path).every((directory) => look(below(root, directory))?.isDirectory() ?? false);
}

/** Removes what is at a path, and the directories above it that are empty then. */
function clear(root: string, path: Buffer): void {
  const stat = isReached(root, path) ? look(below(root, path)) : undefined;
  if (stat === undefined || stat.isDirectory()) return;
  removeEntry(below(root, path));
  for (const directory of above(path).toReversed()) if (!discardEmpty(below(root, directory))) return;
}

/** Copies a file, a link, or a directory that git does not enter with all that is in it; pipes and sockets are left out. */
function copy(from: Buffer, to: Buffer): void {
  if (!lstatSync(from).isDirectory()) {
    copyEntry(from, to);
    return;
  }
  makeDir(to);
  const slash = Buffer.from('/');
  for (const name of readdirSync(from, { encoding: 'buffer' }))
    copy(Buffer.concat([from, slash, name]), Buffer.concat([to, slash, name]));
}

/** Makes the directories above a path, as far as they are not there; false where something else is, which may lead out. */
export function makeAbove(root: string, path: Buffer): boolean {
  return above(path).every((directory) => {
    const there = look(below(root, directory));
    if (there === undefined) makeDir(below(root, directory));
    return there?.isDirectory() ?? true;
  });
}

/** Copies one file, or a directory that git does not enter, from one checkout to another; what is there stays as it is. */
export function bring(from: string, to: string, path: Buffer): void {
  const plain = path.at(-1) === 0x2f ? path.subarray(0, -1) : path;
  // It has gone since git saw it, or something else is in its place.
  if (!isReached(from, plain) || look(below(from, plain)) === undefined) return;
  if (!makeAbove(to, plain)) return;
  if (look(below(to, plain)) === undefined) copy(below(from, plain), below(to, plain));
}

/**
 * Copies what differs in a checkout from its commit, and its index, into a new worktree of that commit: git says the same of
 * both then. @throws ZwarmError `lost_race` where the checkout has changed meanwhile, `git_failed`
 */
export async function bringChanges(from: Checkout, to: Checkout & OwnCheckout): Promise<void> {
  const index = join(to.gitDir, 'index.zwarm');
  try {
    const hasIndex = lookAt(join(from.gitDir, 'index')) !== null;
    if (hasIndex) {
      copyEntry(join(from.gitDir, 'index'), index);
      await completeIndex(from.git, index);
    }
    const { printed, changes } = await changesIn(from.git);
    // First all of these: a file may have become a directory, or a directory a file.
    for (const { path } of changes) clear(to.root, path);
    for (const change of changes) if (change.isThere) bring(from.root, to.root, change.path);
    if (hasIndex) rename(index, join(to.gitDir, 'index'));
    else removeEntry(join(to.gitDir, 'index'));
    const after = await changesIn(to.git);
    if (after.printed.equals(printed)) return;
  } finally {
    discard(index);
  }
  const what = `${from.root} changed while its changes were copied`;
  throw new ZwarmError('lost_race', what, 'try again when nobody works there');
}
