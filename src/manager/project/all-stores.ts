import { statSync } from 'node:fs';
import { ZwarmError } from '../../core/errors.ts';
import { isFinal } from '../../core/status.ts';
import { createCensus } from '../../process/turn-processes.ts';
import { removeTree, rename } from '../../store/files.ts';
import { BUILDING_PREFIX, projectsDir, turnsDir } from '../../store/layout.ts';
import { listStores, requireUsable, standingOf, storeAt, storeDir } from '../../store/project-store.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import type { ProjectRecord } from '../../store/records.ts';
import { treeBytes } from '../../store/remove.ts';
import { discardAllMarks } from '../../store/seen.ts';
import { listSessionIds } from '../../store/sessions.ts';
import { rootOfProject } from '../../store/which-project.ts';
import { type ManagerContext, openStore, type Store, stateDirectory } from '../context.ts';
import { readRow } from '../session/session-summary.ts';

/*
 * The stores of all projects. That of a project whose directory is gone stays until the user removes it: an unmounted disk
 * is gone, too.
 */

/** The stores of all projects, and why those cannot be listed that are damaged or that others can write. */
export function openAll(context: ManagerContext): {
  stores: readonly Store[];
  refused: readonly ZwarmError[];
} {
  const state = stateDirectory(context);
  // What holds for all of them is no fault of one.
  requireUsable(state, state, context.uid, false);
  const stores: Store[] = [];
  const refused: ZwarmError[] = [];
  for (const known of listStores(state)) {
    try {
      stores.push(openStore(context, known, false));
    } catch (error) {
      if (!(error instanceof ZwarmError)) throw error;
      refused.push(error);
    }
  }
  return { stores, refused };
}

/** The store of a project whose directory is gone: it is not there, or another one is in its place. */
export interface GoneStore {
  readonly root: string;
  /** Where the project was. */
  readonly project: string;
  readonly sessions: number;
  readonly bytes: number;
  /** When a turn was last begun, in milliseconds since the epoch; null where there is none. */
  readonly lastMs: number | null;
}

function describe(root: string, record: ProjectRecord): GoneStore {
  const ids = listSessionIds(root);
  const times = ids.map(
    (id) => statSync(turnsDir({ store: { root }, id }), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return {
    root,
    project: rootOfProject(record.path),
    sessions: ids.length,
    bytes: treeBytes(root),
    lastMs: times.length === 0 ? null : Math.max(...times),
  };
}

/** The stores whose projects are gone. */
export function listGone(context: ManagerContext): readonly GoneStore[] {
  const state = stateDirectory(context);
  return listStores(state).flatMap(({ root, record }) => {
    // Where key and path disagree, a relocation was interrupted: the next one finishes it.
    const isKept = record instanceof DamagedRecord || storeDir(state, record.path) !== root;
    return isKept || standingOf(record) === 'here' ? [] : [describe(root, record)];
  });
}

/** Whether a session of a store runs, is about to, or cannot be judged from here. */
export async function hasLiveSession(context: ManagerContext, store: Store): Promise<boolean> {
  const census = createCensus();
  for (const id of listSessionIds(store.root)) {
    const row = await readRow({ store, id }, context.now(), census);
    if (row !== null && row.status !== 'damaged' && !isFinal(row.status)) return true;
  }
  return false;
}

/** What `removeGone` did. */
export interface GoneResult {
  readonly removed: readonly GoneStore[];
  /** Those of which something still runs. */
  readonly kept: readonly GoneStore[];
}

/** Removes stores whose projects are gone, with all of their sessions; one of which something runs stays. */
export async function removeGone(context: ManagerContext, stores: readonly GoneStore[]): Promise<GoneResult> {
  const removed: GoneStore[] = [];
  const kept: GoneStore[] = [];
  for (const gone of stores) {
    const known = storeAt(gone.root);
    // Another command was first.
    if (known === null) continue;
    const store = openStore(context, known, true);
    if (await hasLiveSession(context, store)) {
      kept.push(gone);
      continue;
    }
    const doomed = `${projectsDir(store.state)}/${BUILDING_PREFIX}${context.newNonce()}`;
    rename(gone.root, doomed);
    removeTree(doomed);
    discardAllMarks(store.state, store.id);
    removed.push(gone);
  }
  return { removed, kept };
}
