import { resolve } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { hasStore, identityOfDirectory, moveStore, standingOf, storeAt } from '../../store/project-store.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { listSessionIds } from '../../store/sessions.ts';
import { rootOfProject } from '../../store/which-project.ts';
import { requireUser } from '../access/caller.ts';
import { damagedStoreError, locateProject, type ManagerContext, openStore } from '../context.ts';
import { hasLiveSession } from '../project/all-stores.ts';
import { findMoved, type MovedStore } from '../project/moved-project.ts';
import { openWindow } from '../project/open-window.ts';

/** A store whose sessions are to belong to the directory where its project is now. */
export interface Relocation extends MovedStore {
  /** Where the project was and is, for people. */
  readonly from: string;
  readonly to: string;
  readonly sessions: number;
  readonly there: ManagerContext;
}

function planTo(there: ManagerContext, { root, record }: MovedStore): Relocation {
  const target = locateProject(there);
  const from = rootOfProject(record.path);
  const to = rootOfProject(target.path);
  if (target.root !== root && hasStore(target.root))
    throw new ZwarmError('lost_race', `${to} has sessions of its own`, `see them: zwarm ls --project ${to}`);
  return { root, record, from, to, sessions: listSessionIds(root).length, there };
}

/**
 * What `relocate` would do: without `to`, give the sessions of a project that was moved here to this directory; with it,
 * give those that are kept for this path to the directory `to`. @throws ZwarmError `not_found`, `usage`
 */
export function planRelocation(context: ManagerContext, to: string | null): Relocation {
  requireUser(context);
  const here = locateProject(context);
  const { root, path } = here;
  const record = storeAt(root)?.record;
  if (record instanceof DamagedRecord) throw damagedStoreError(root, record);
  if (to !== null) {
    if (record === undefined) {
      const what = `no sessions are kept for ${rootOfProject(path)}`;
      throw new ZwarmError('not_found', what, 'see: zwarm ls --everywhere');
    }
    if (standingOf(record) === 'here') {
      const what = `the project of these sessions is still at ${rootOfProject(record.path)}`;
      throw new ZwarmError('usage', what, 'move it first');
    }
    const there = { ...context, cwd: resolve(context.cwd, to), project: null };
    return planTo(there, { root, record });
  }
  // The directory of the store was renamed, and its record was not replaced: the rest of that is done now.
  if (record !== undefined && record.path !== path) return planTo(context, { root, record });
  if (record !== undefined)
    throw new ZwarmError('usage', 'the sessions of this project are here already', 'see: zwarm ls');
  const moved = findMoved(here);
  if (moved !== null) return planTo(context, moved);
  const hint = 'see where sessions are kept: zwarm ls --everywhere';
  throw new ZwarmError('not_found', 'no sessions are known that this project had elsewhere', hint);
}

/** Gives the sessions to the directory where their project is now. @throws ZwarmError `busy`, `lost_race` */
export async function relocate({ root, record, to, there }: Relocation): Promise<void> {
  const target = locateProject(there);
  const hint = 'wait for it, or end it: zwarm ls --everywhere';
  if (await hasLiveSession(there, openStore(there, { root, record }, true)))
    throw new ZwarmError('busy', 'a session of this project runs', hint);
  const moved = { ...record, path: target.path, ...identityOfDirectory(target.path) };
  try {
    moveStore(root, target.root, moved, there.newNonce());
  } catch (error) {
    if (target.root === root || !hasStore(target.root)) throw error;
    throw new ZwarmError('lost_race', `${to} was given sessions by another command`, 'see: zwarm ls', error);
  }
  await openWindow(there, openStore(there, { root: target.root, record: moved }, true));
}
