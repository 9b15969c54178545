import { isErrno } from '../../core/errors.ts';
import { unrepairedTree } from '../../core/unrepaired-tree.ts';
import { hostIdentity } from '../../process/identity.ts';
import { isSound, moveStore } from '../../store/project-store.ts';
import { isElsewhere, rootOfProject } from '../../store/which-project.ts';
import { locateProject, type ManagerContext, openStore } from '../context.ts';
import { hasLiveSession } from './all-stores.ts';
import { repairTrees } from './repair-trees.ts';

/**
 * Gives the store of a project that was surely moved its new place, while nothing of it runs: what was done, in words, or null.
 * Until then it is used where it lies.
 */
export async function bringHome(context: ManagerContext): Promise<string | null> {
  const project = locateProject(context);
  const { state, path, store } = project;
  if (store === null || !isSound(store) || !isElsewhere(project)) return null;
  const { record } = store;
  if (await hasLiveSession(context, openStore(context, store, true, path))) return null;
  let home: string;
  try {
    home = moveStore(store, { state, path, host: hostIdentity().host }, context.newNonce());
  } catch (error) {
    // Another start was first.
    if (isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) return null;
    throw error;
  }
  if (record.path === path) return null;
  const broken = await repairTrees(context, home, path);
  const words = `this project was at ${rootOfProject(record.path)}; its sessions are kept for ${rootOfProject(path)} now`;
  return [words, ...broken.map(unrepairedTree)].join('; ');
}
