import type { ProjectRecord } from '../../core/session.ts';
import { sessionsDir } from '../../store/layout.ts';
import { identityOfDirectory, standingOf } from '../../store/project-record.ts';
import { type KnownStore, listStores } from '../../store/project-store.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { windowTarget } from '../../store/window.ts';
import { type ManagerContext, placeOf } from '../context.ts';

/** Whether a store may belong to a project that is now at `path`: by the window in its checkout, or as the same directory. */
function isOf({ root, record }: KnownStore, path: string, window: string | null): boolean {
  if (record instanceof DamagedRecord || record.path === path) return false;
  const { inode, birth_time } = identityOfDirectory(path);
  const isSame = record.inode === inode && record.birth_time === birth_time;
  return (isSame || window === sessionsDir(root)) && standingOf(record) !== 'here';
}

/**
 * The store of the project that was moved to where a context is now, or null. The window leads to it; where that is gone,
 * the directory itself is known by its inode.
 */
export function findMoved(context: ManagerContext): { root: string; record: ProjectRecord } | null {
  const { stateDir, project } = placeOf(context);
  const window = windowTarget(project.checkout);
  for (const known of listStores(stateDir)) {
    const { root, record } = known;
    if (record instanceof DamagedRecord || !isOf(known, project.path, window)) continue;
    return { root, record };
  }
  return null;
}
