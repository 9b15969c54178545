import { sessionsDir, windowDir } from '../../store/layout.ts';
import { identityOfDirectory, listStores, standingOf, storeAt } from '../../store/project-store.ts';
import { pythonSessionDirs } from '../../store/python-store.ts';
import { DamagedRecord, unlessDamaged } from '../../store/read-file.ts';
import type { ProjectRecord } from '../../store/records.ts';
import { type Project, rootOfProject } from '../../store/which-project.ts';
import { hasOldStore, windowTarget } from '../../store/window.ts';
import { isReplaced, locateProject, type ManagerContext } from '../context.ts';

/** A store, and the record that says where its project was. */
export interface MovedStore {
  readonly root: string;
  readonly record: ProjectRecord;
}

/** The store of the project that was moved here, by the window or else the inode of the directory; or null. */
export function findMoved(project: Project): MovedStore | null {
  const { state, path, checkout } = project;
  const window = windowTarget(checkout);
  const { inode, birth_time } = identityOfDirectory(path);
  for (const { root, record } of listStores(state)) {
    if (record instanceof DamagedRecord || record.path === path) continue;
    const isSame = record.inode === inode && record.birth_time === birth_time;
    if ((isSame || window === sessionsDir(root)) && standingOf(record) !== 'here') return { root, record };
  }
  return null;
}

/** What a person who lists the sessions of this project should know about where they are kept. */
export async function projectNotices(context: ManagerContext): Promise<readonly string[]> {
  if (context.env['ZWARM_STORE']) return [];
  const project = locateProject(context);
  const { root, path, checkout } = project;
  const notices: string[] = [];
  const old = `${windowDir(checkout)} holds sessions of zwarm 0.1, which this version does not read; they stay as they are`;
  if (hasOldStore(checkout)) notices.push(old);
  const python = unlessDamaged(() => pythonSessionDirs(checkout)) ?? [];
  const left = python.length === 0 ? 0 : (await import('./python-left.ts')).countLeft(context, python);
  if (left > 0) {
    const what = `${left} ${left === 1 ? 'session' : 'sessions'} of the Python zwarm`;
    notices.push(`${windowDir(checkout)} holds ${what} to import: zwarm import .`);
  }
  const store = storeAt(root);
  const moved = store === null ? findMoved(project) : null;
  if (moved !== null) {
    const was = rootOfProject(moved.record.path);
    notices.push(`this project was at ${was}; to have its sessions here: zwarm relocate`);
  }
  const other = `zwarm keeps the sessions of another directory that was at ${rootOfProject(path)}`;
  if (store !== null && isReplaced(store, path))
    notices.push(`${other}; where it was moved to: zwarm relocate --to DIR`);
  return notices;
}
