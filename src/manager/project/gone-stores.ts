import { statSync } from 'node:fs';
import { isFinal } from '../../core/status.ts';
import { createCensus } from '../../process/turn-processes.ts';
import { removeTree, rename } from '../../store/files.ts';
import { BUILDING_PREFIX, projectsDir, turnsDir } from '../../store/layout.ts';
import { listStores, standingOf, storeAt, storeDir } from '../../store/project-store.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import type { ProjectRecord } from '../../store/records.ts';
import { treeBytes } from '../../store/remove.ts';
import { discardAllMarks } from '../../store/seen.ts';
import { listSessionIds } from '../../store/sessions.ts';
import { rootOfProject } from '../../store/which-project.ts';
import { type ManagerContext, openStore, type Store, stateDirectory } from '../context.ts';
import { readRow } from '../session/session-summary.ts';

/*
 * The stores of all projects. That of a project whose directory is gone stays until somebody says so: an unmounted disk is
 * gone, too.
 */

/** The stores of all projects but the damaged ones. */
export function openAll(context: ManagerContext): readonly Store[] {
  return listStores(stateDirectory(context)).flatMap((known) =>
    known.record instanceof DamagedRecord ? [] : [openStore(context, known, false)],
  );
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

/** Whether the project is gone. Where key and path disagree, a relocation was interrupted: the next one finishes it. */
function isGone(root: string, record: ProjectRecord, state: string): boolean {
  return storeDir(state, record.path) === root && standingOf(record) !== 'here';
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
  return listStores(state).flatMap(({ root, record }) =>
    record instanceof DamagedRecord || !isGone(root, record, state) ? [] : [describe(root, record)],
  );
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
  const state = stateDirectory(context);
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
    const doomed = `${projectsDir(state)}/${BUILDING_PREFIX}${context.newNonce()}`;
    rename(gone.root, doomed);
    removeTree(doomed);
    discardAllMarks(state, store.id);
    removed.push(gone);
  }
  return { removed, kept };
}
