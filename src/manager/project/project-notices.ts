import { windowDir } from '../../store/layout.ts';
import { listStores, storeAt } from '../../store/project-store.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { type Project, rootOfProject } from '../../store/which-project.ts';
import { hasOldStore } from '../../store/window.ts';
import {
  damagedStoreError,
  isReplaced,
  locateProject,
  type ManagerContext,
  stateDirectory,
} from '../context.ts';
import { findMoved } from './moved-project.ts';

/** The stores, of all projects, whose sessions cannot be listed, each with the reason. */
export function damageNotices(context: ManagerContext): readonly string[] {
  return listStores(stateDirectory(context)).flatMap(({ root, record }) =>
    record instanceof DamagedRecord ? [damagedStoreError(root, record).message] : [],
  );
}

/** What whoever lists sessions, of this project or of all of them, should know about where they are kept. */
export function projectNotices(context: ManagerContext, everywhere: boolean): readonly string[] {
  if (everywhere) return damageNotices(context);
  if (context.env['ZWARM_STORE']) return [];
  const project = locateProject(context);
  const old = hasOldStore(project.checkout)
    ? [
        `${windowDir(project.checkout)} holds sessions of zwarm 0.1, which this version does not read; they stay as they are`,
      ]
    : [];
  return [...old, ...whereabouts(context, project)];
}

function whereabouts(context: ManagerContext, { root, path }: Project): readonly string[] {
  const store = storeAt(root);
  if (store === null) {
    const moved = findMoved(context);
    return moved === null
      ? []
      : [
          `this project was at ${rootOfProject(moved.record.path)}; to have its sessions here: zwarm relocate`,
        ];
  }
  return isReplaced(store, path)
    ? [
        `zwarm keeps the sessions of another directory that was at ${rootOfProject(path)}; where it was moved to: zwarm relocate --to DIR`,
      ]
    : [];
}
