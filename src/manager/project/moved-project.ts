import { sessionsDir } from '../../store/layout.ts';
import { identityOfDirectory, listStores, standingOf } from '../../store/project-store.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import type { ProjectRecord } from '../../store/records.ts';
import { windowTarget } from '../../store/window.ts';
import { locateProject, type ManagerContext } from '../context.ts';

/**
 * The store of the project that was moved to where a context is now, or null. The window leads to it; where that is gone,
 * the directory itself is known by its inode.
 */
export function findMoved(context: ManagerContext): { root: string; record: ProjectRecord } | null {
  const { state, path, checkout } = locateProject(context);
  const window = windowTarget(checkout);
  const { inode, birth_time } = identityOfDirectory(path);
  for (const { root, record } of listStores(state)) {
    if (record instanceof DamagedRecord || record.path === path) continue;
    const isSame = record.inode === inode && record.birth_time === birth_time;
    if ((isSame || window === sessionsDir(root)) && standingOf(record) !== 'here') return { root, record };
  }
  return null;
}
