import { statSync } from 'node:fs';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isAtRest } from '../../core/status.ts';
import { livenessOf } from '../../process/identity.ts';
import { whereaboutsOf } from '../../store/directory-identity.ts';
import { removeTree, rename } from '../../store/files.ts';
import { BUILDING_PREFIX, projectsDir, turnsDir } from '../../store/layout.ts';
import { liesInPlace, listStores, requireUsable, storeAt } from '../../store/project-store.ts';
import { DamagedRecord, unlessDamaged } from '../../store/read-file.ts';
import type { ProjectRecord } from '../../store/records.ts';
import { treeBytes } from '../../store/remove.ts';
import { discardAllMarks } from '../../store/seen.ts';
import { listSessionIds, listTurns, readRunner } from '../../store/sessions.ts';
import { rootOfProject } from '../../store/which-project.ts';
import {
  locateProject,
  type ManagerContext,
  movedHere,
  openStore,
  type Session,
  type Store,
  stateDirectory,
} from '../context.ts';
import { computeListedTogether } from '../session/session-summary.ts';

/** The stores of all projects, and why those cannot be listed that are damaged or that others can write. */
export function openAll(context: ManagerContext) {
  const state = stateDirectory(context);
  // Of this one all are refused.
  requireUsable(state, state, context, false);
  const own = locateProject(context);
  const stores: Store[] = [];
  const refused: ZwarmError[] = [];
  for (const known of listStores(state)) {
    try {
      // That of a project which was moved here lies where it was.
      stores.push(openStore(context, known, false, ...(known.root === own.root ? [own.path] : [])));
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
  readonly project: string;
  readonly sessions: number;
  readonly bytes: number;
  /** When a turn was last begun (ms since the epoch); null where there is none. */
  readonly lastMs: number | null;
}

function describe(root: string, record: ProjectRecord): GoneStore {
  const ids = listSessionIds(root);
  const begun = (id: SessionId) => statSync(turnsDir({ store: { root }, id }), { throwIfNoEntry: false });
  const times = ids.map((id) => begun(id)?.mtimeMs ?? 0);
  const lastMs = times.length === 0 ? null : Math.max(...times);
  return { root, project: rootOfProject(record.path), sessions: ids.length, bytes: treeBytes(root), lastMs };
}

/** The stores whose projects are gone, but for those which may have been moved to where we are. */
export function listGone(context: ManagerContext): readonly GoneStore[] {
  const project = locateProject(context);
  const { state } = project;
  const here = new Set(movedHere(project).map(({ root }) => root));
  return listStores(state).flatMap(({ root, record }) => {
    if (record instanceof DamagedRecord || here.has(root)) return [];
    // Where key and path disagree, a relocation was interrupted: the next one finishes it.
    const isGone = liesInPlace(root, record) && whereaboutsOf(record) === null;
    return isGone ? [describe(root, record)] : [];
  });
}

/** Whether the runner of a turn lives that has ended: it does what follows the end, in the store where it began. */
function isSettling(session: Session): boolean {
  const turns = unlessDamaged(() => listTurns(session)) ?? [];
  return turns.some((turn) => {
    const runner = readRunner({ ...session, turn });
    return runner !== null && livenessOf(runner.identity) === 'yes';
  });
}

/** Whether a session of a store runs, is about to, has just ended, or cannot be judged from here. */
export async function hasLiveSession(context: ManagerContext, store: Store): Promise<boolean> {
  const sessions = listSessionIds(store.root).map((id) => ({ store, id }));
  if (sessions.some(isSettling)) return true;
  for await (const [, listed] of computeListedTogether(sessions, context.now()))
    if (listed !== null && listed.status !== 'damaged' && !isAtRest(listed.status)) return true;
  return false;
}

/** What `removeGone` did: of those that are kept something still runs. */
export interface GoneResult {
  readonly removed: readonly GoneStore[];
  readonly kept: readonly GoneStore[];
}

/** Removes stores whose projects are gone, with all of their sessions. */
export async function removeGone(context: ManagerContext, stores: readonly GoneStore[]): Promise<GoneResult> {
  const removed: GoneStore[] = [];
  const kept: GoneStore[] = [];
  for (const gone of stores) {
    const known = storeAt(gone.root);
    if (known === null) continue;
    const store = openStore(context, known, true);
    const isLive = await hasLiveSession(context, store);
    (isLive ? kept : removed).push(gone);
    if (isLive) continue;
    const doomed = `${projectsDir(store.state)}/${BUILDING_PREFIX}${context.newNonce()}`;
    rename(gone.root, doomed);
    removeTree(doomed);
    discardAllMarks(store.state, store.id);
  }
  return { removed, kept };
}
