import { windowDir } from '../../store/layout.ts';
import { hasStore, listStores, storeDir } from '../../store/project-store.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { rootOfProject } from '../../store/which-project.ts';
import { hasOldStore } from '../../store/window.ts';
import {
  damagedStoreError,
  locateProject,
  type ManagerContext,
  replacedProject,
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
  const { stateDir, project } = locateProject(context);
  const old = hasOldStore(project.checkout)
    ? [
        `${windowDir(project.checkout)} holds sessions of zwarm 0.1, which this version does not read; they stay as they are`,
      ]
    : [];
  return [...old, ...whereabouts(context, stateDir, project.path)];
}

function whereabouts(context: ManagerContext, stateDir: string, path: string): readonly string[] {
  if (!hasStore(stateDir, path)) {
    const moved = findMoved(context);
    return moved === null
      ? []
      : [
          `this project was at ${rootOfProject(moved.record.path)}; to have its sessions here: zwarm relocate`,
        ];
  }
  return replacedProject(storeDir(stateDir, path), path) === null
    ? []
    : [
        `zwarm keeps the sessions of another directory that was at ${rootOfProject(path)}; where it was moved to: zwarm relocate --to DIR`,
      ];
}
