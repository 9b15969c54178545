import { isErrno } from '../../core/errors.ts';
import { isSound, moveStore, storeAt, storeDir } from '../../store/project-store.ts';
import { rootOfProject } from '../../store/which-project.ts';
import { callerOf, isUsers } from '../access/caller.ts';
import { locateProject, type ManagerContext, openStore } from '../context.ts';
import { hasLiveSession } from './all-stores.ts';

/**
 * Gives the store of a project that was surely moved its new place, for the user and while nothing of it runs: what was done,
 * in words, or null. Until then it is used where it lies.
 */
export async function bringHome(context: ManagerContext): Promise<string | null> {
  const { state, root, path } = locateProject(context);
  const store = storeAt(root);
  if (store === null || !isSound(store) || !isUsers(callerOf(context).source)) return null;
  const { record } = store;
  if (root === storeDir(state, path) && record.path === path) return null;
  if (await hasLiveSession(context, openStore(context, store, true, path))) return null;
  try {
    moveStore(state, store, path, context.newNonce());
  } catch (error) {
    // Another start was first.
    if (isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) return null;
    throw error;
  }
  if (record.path === path) return null;
  return `this project was at ${rootOfProject(record.path)}; its sessions are kept for ${rootOfProject(path)} now`;
}
