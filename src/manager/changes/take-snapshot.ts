import type { LeftOut } from '../../core/changes.ts';
import type { RawPath } from '../../core/raw-path.ts';
import {
  type Index,
  type Listing,
  listFiles,
  makePlain,
  takeIn,
  takeOut,
  writeTree,
} from '../../git/files.ts';
import { discard } from '../../store/files.ts';
import { realPathOf } from '../../store/real-path.ts';
import { keepIndex, lastIndex, makeSnapshots, seedIndex, workingIndex } from '../../store/snapshots.ts';
import type { ManagerContext, Session } from '../context.ts';
import { type Chosen, chooseFiles } from './choose-files.ts';
import { pin } from './pin.ts';
import { gitOver, type Place, requireSnapshotable } from './place.ts';

/** The files of a session at one time. */
export interface Snapshot {
  /** The name of their tree in the repository for snapshots. */
  readonly tree: string;
  readonly leftOut: readonly LeftOut[];
}

/** How long a listing may take, in milliseconds: a repository is listed by its index, anything else file by file. */
const LISTING_MS = { repository: 20_000, directory: 4000 };
const listingMs = ({ user }: Place): number => LISTING_MS[user === null ? 'directory' : 'repository'];
/** Repositories within repositories, whatever an agent makes: so many are looked into. */
const MOST_NESTED = 50;

/** The files of the repositories that lie among those of a session, by their paths from its root. */
async function filesOfNested(
  context: ManagerContext,
  place: Place,
  nested: readonly RawPath[],
): Promise<{ readonly files: readonly RawPath[]; readonly leftOut: readonly LeftOut[] }> {
  const files: RawPath[] = [];
  const leftOut: LeftOut[] = [];
  const todo = [...nested];
  for (let looked = 0; todo.length > 0; looked++) {
    const directory = todo.shift() ?? '';
    const path = Buffer.from(directory.slice(0, -1), 'latin1').toString();
    const workTree = `${place.root}/${path}`;
    // A name that is not UTF-8, or a link that was put there just now.
    if (looked >= MOST_NESTED || realPathOf(workTree) !== workTree) {
      leftOut.push({
        path: directory,
        why: looked >= MOST_NESTED ? 'many' : 'name',
        bytes: null,
        mtime_ms: null,
      });
      continue;
    }
    const git = gitOver(context, place, workTree);
    const empty = { git, path: `${place.snapshots}/no-index`, alternates: null };
    const found = await listFiles(empty, LISTING_MS.directory);
    files.push(...found.untracked.map((one) => directory + one));
    todo.push(...found.nested.map((one) => directory + one));
  }
  return { files, leftOut };
}

/** What of a listing is to be taken into an index, with the files of nested repositories as if they were ordinary ones. */
async function choose(context: ManagerContext, place: Place, listing: Listing): Promise<Chosen> {
  const { changed, untracked, nested } = listing;
  const inside = await filesOfNested(context, place, nested);
  const chosen = chooseFiles(place.root, { changed, untracked: [...untracked, ...inside.files] });
  return { ...chosen, leftOut: [...chosen.leftOut, ...inside.leftOut] };
}

/** The files of a session as an index has taken them in: nothing that happens to them from now on changes the snapshot. */
export interface Taken {
  /** Stores them for good. @throws ZwarmError that says why it could not */
  finish(): Promise<Snapshot>;
}

/** Brings an index up to date with the files. */
async function update(index: Index, { take, drop }: Pick<Chosen, 'take' | 'drop'>): Promise<void> {
  await takeOut(index, drop);
  await takeIn(index, take);
}

/** Does what is part of making an index, which is removed where that fails. */
async function orDiscard<T>({ path }: Index, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    discard(path);
    throw error;
  }
}

/** Writes the tree of an index that is complete, and gives it its place. */
const finishing = (place: Place, index: Index, leftOut: readonly LeftOut[]): Promise<Snapshot> =>
  orDiscard(index, async () => {
    const tree = await writeTree(index);
    keepIndex(place.snapshots, index.path, tree);
    return { tree, leftOut };
  });

/** Files as an index of their own has them, which begins with a copy of the user's. */
export interface FreshFiles {
  readonly index: Index;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Takes in the files of a checkout that no snapshot is of; who asks removes the index. @throws ZwarmError that says why it could not
 */
export async function takeFreshFiles(context: ManagerContext, place: Place): Promise<FreshFiles> {
  requireSnapshotable(place, context.env);
  const { path, state } = seedIndex(place.snapshots, place.user, context.newNonce());
  const index: Index = { git: gitOver(context, place, place.root), path, alternates: place.alternates };
  return orDiscard(index, async () => {
    if (state === 'odd') await makePlain(index);
    const chosen = await choose(context, place, await listFiles(index, listingMs(place)));
    await update(index, chosen);
    return { index, leftOut: chosen.leftOut };
  });
}

/** The first snapshot of a session. */
async function takeFirst(context: ManagerContext, session: Session, place: Place): Promise<Taken> {
  makeSnapshots(session, place.user, context.newNonce());
  const { index, leftOut } = await takeFreshFiles(context, place);
  const finish = async (): Promise<Snapshot> => {
    const [snapshot] = await Promise.all([finishing(place, index, leftOut), pin(context, place, session)]);
    return snapshot;
  };
  return { finish };
}

/**
 * Takes in the files of a session as they are now. git looks at them by an index of ours, so that only what has changed
 * since the last snapshot is read; it runs in no repository that lies among them. @throws ZwarmError that says why there is none
 */
export async function takeFiles(context: ManagerContext, session: Session, place: Place): Promise<Taken> {
  const { snapshots, alternates, root } = place;
  requireSnapshotable(place, context.env);
  const last = lastIndex(snapshots);
  if (last === null) return takeFirst(context, session, place);
  const git = gitOver(context, place, root);
  const chosen = await choose(
    context,
    place,
    await listFiles({ git, path: last.path, alternates }, listingMs(place)),
  );
  const { take, drop, leftOut } = chosen;
  if (take.length === 0 && drop.length === 0) return { finish: async () => ({ tree: last.tree, leftOut }) };
  const index: Index = { git, path: workingIndex(snapshots, last.path, context.newNonce()), alternates };
  await orDiscard(index, () => update(index, chosen));
  return { finish: () => finishing(place, index, leftOut) };
}
