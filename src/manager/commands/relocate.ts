import { basename, dirname } from 'node:path';
import { isErrno, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isKey } from '../../core/rules/key.ts';
import { hostIdentity } from '../../process/identity.ts';
import { mayBeThere } from '../../store/directory-identity.ts';
import { mergeStore } from '../../store/merge-store.ts';
import { hasStore, isSound, listStores, moveStore, type SoundStore } from '../../store/project-store.ts';
import { type DamagedRecord, lookAt } from '../../store/read-file.ts';
import { realPathToBe } from '../../store/real-path.ts';
import { listSessionIds } from '../../store/sessions.ts';
import { rootOfProject } from '../../store/which-project.ts';
import { requireUser } from '../access/caller.ts';
import {
  damagedStoreError,
  locateProject,
  type ManagerContext,
  movedHere,
  openStore,
  stateDirectory,
} from '../context.ts';
import { hasLiveSession } from '../project/all-stores.ts';
import { openWindow } from '../project/open-window.ts';
import { repairTrees } from '../project/repair-trees.ts';

/** A store whose sessions are to belong to the directory where its project is now. */
export interface Relocation extends SoundStore {
  /** By which it is known from then on: the common git directory, outside of git the directory itself. */
  readonly path: string;
  /** Where the project was and is, for people. */
  readonly from: string;
  readonly to: string;
  readonly sessions: number;
  /** Whether sessions are kept there already, to which they come. */
  readonly merges: boolean;
  readonly there: ManagerContext;
}

/** What a relocation has done that a person would not expect. */
export interface Relocated {
  /** Names that sessions have lost, as others have them there. */
  readonly dropped: readonly { readonly id: SessionId; readonly name: string }[];
  /** Sessions that stay where they were, as there is one with the same id. */
  readonly kept: readonly SessionId[];
  /** The paths of worktrees that git does not know as those of the repository at its new place. */
  readonly unrepaired: readonly string[];
}

/** The store that the project of a context has, wherever it lies, or null. @throws ZwarmError `damaged` */
function ownStore(context: ManagerContext): SoundStore | null {
  const { store } = locateProject(context);
  if (store !== null && !isSound(store)) throw damagedStoreError(store.root, store.record as DamagedRecord);
  return store;
}

function planTo(there: ManagerContext, path: string, { root, record }: SoundStore): Relocation {
  const own = ownStore(there);
  const merges = own !== null && own.root !== root;
  const [from, to] = [record.path, path].map(rootOfProject) as [string, string];
  return { root, record, path, from, to, sessions: listSessionIds(root).length, merges, there };
}

/** The stores that are kept for the project of a directory, a real path, whether that is there or not. */
function keptFor(context: ManagerContext, named: string): readonly SoundStore[] {
  const path = lookAt(named) === null ? named : locateProject(context).path;
  return listStores(stateDirectory(context))
    .filter(isSound)
    .filter(({ record }) => {
      const isBare = basename(record.path) === '.bare' && dirname(record.path) === named;
      return isBare || record.path === path || rootOfProject(record.path) === named;
    });
}

/** The plan to give what is kept for a place to the directory `to`. @throws ZwarmError `not_found`, `usage` */
function planAway(context: ManagerContext, to: string): Relocation {
  const named = realPathToBe(context.cwd);
  const kept = keptFor(context, named);
  const [first] = kept;
  if (first === undefined)
    throw new ZwarmError('not_found', `no sessions are kept for ${named}`, 'see: zwarm ls --everywhere');
  const away = kept.find(({ record }) => !mayBeThere(record));
  if (away === undefined) {
    const what = `the project of these sessions is still at ${rootOfProject(first.record.path)}`;
    throw new ZwarmError('usage', what, 'move it first');
  }
  const there = { ...context, cwd: to, project: null };
  return planTo(there, locateProject(there).path, away);
}

/**
 * What `relocate` would do: without `to`, give the sessions of a project that was moved here to this directory; with it, an
 * absolute path, give those that are kept for this path to that directory. @throws ZwarmError `not_found`, `usage`
 */
export function planRelocation(context: ManagerContext, to: string | null): Relocation {
  requireUser(context);
  if (to !== null) return planAway(context, to);
  const here = locateProject(context);
  const own = ownStore(context);
  // It was moved, and has not come home; or a relocation was interrupted, the rest of which is done now.
  if (own !== null && own.record.path !== here.path) return planTo(context, here.path, own);
  const [moved] = movedHere(here).filter(({ root }) => root !== own?.root);
  if (moved !== undefined) return planTo(context, own === null ? moved.path : here.path, moved);
  if (own !== null)
    throw new ZwarmError('usage', 'the sessions of this project are here already', 'see: zwarm ls');
  const hint =
    'where you know the old place: zwarm --project OLD relocate --to .; else see: zwarm ls --everywhere';
  throw new ZwarmError('not_found', 'no sessions are known that this project had elsewhere', hint);
}

/** Gives the sessions to the directory where their project is now. @throws ZwarmError `busy`, `lost_race` */
export async function relocate(plan: Relocation): Promise<Relocated> {
  const { root, record, path, there } = plan;
  const lost = (what: string, cause?: unknown) =>
    new ZwarmError('lost_race', what, 'see: zwarm ls --everywhere', cause);
  const taken = `${plan.to} was given sessions by another command`;
  if (!hasStore(root)) throw lost(`${plan.from} has given them to another place`);
  const hint = 'wait for it, or end it: zwarm ls --everywhere';
  if (await hasLiveSession(there, openStore(there, plan, true)))
    throw new ZwarmError('busy', 'a session of this project runs, or has just ended', hint);
  const own = ownStore(there);
  const merges = own !== null && own.root !== root;
  if (merges !== plan.merges) throw lost(taken);
  const { dropped, kept } = merges
    ? mergeStore({ root, id: record.store_id }, openStore(there, own, true, path), there.newNonce())
    : { dropped: [], kept: [] };
  const move = (): string => {
    try {
      const place = { state: stateDirectory(there), path, host: hostIdentity().host };
      return moveStore(plan, place, there.newNonce());
    } catch (error) {
      throw isErrno(error, 'ENOTEMPTY', 'EEXIST') ? lost(taken, error) : error;
    }
  };
  const home = merges ? own.root : move();
  await openWindow(there, openStore(there, { root: home, record }, true, path));
  const unrepaired = await repairTrees(there, home, path);
  return { dropped: dropped.filter(({ name }) => !isKey(name)), kept, unrepaired };
}
