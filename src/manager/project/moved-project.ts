import { sessionsDir, windowDir } from '../../store/layout.ts';
import type { MovedStore } from '../../store/moved-store.ts';
import { pythonSessionDirs } from '../../store/python-store.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { listSessionIds } from '../../store/sessions.ts';
import { type Project, rootOfProject } from '../../store/which-project.ts';
import { hasOldStore, windowTarget } from '../../store/window.ts';
import { locateProject, type ManagerContext, movedHere } from '../context.ts';

/** The stores whose sessions may belong to this project, and are not taken for its own. */
const mayBelong = (project: Project): readonly MovedStore[] =>
  movedHere(project).filter(({ root }) => root !== project.store?.root && listSessionIds(root).length > 0);

/** What to say of them. */
export const offers = (project: Project): readonly string[] =>
  mayBelong(project).map(({ record }) => {
    const was = rootOfProject(record.path);
    return `the sessions of the directory that was at ${was} may belong to this project; to have them here: zwarm relocate`;
  });

/** What a person who lists the sessions of this project should know about where they are kept. */
export async function projectNotices(context: ManagerContext): Promise<readonly string[]> {
  if (context.env['ZWARM_STORE']) return [];
  const project = locateProject(context);
  const { path, checkout, store, others } = project;
  const notices: string[] = [];
  const old = `${windowDir(checkout)} holds sessions of an early zwarm, which kept them in the project: no list shows them, and they stay as they are`;
  if (hasOldStore(checkout)) notices.push(old);
  const python = unlessDamaged(() => pythonSessionDirs(checkout)) ?? [];
  const left = python.length === 0 ? 0 : (await import('./python-left.ts')).countLeft(context, python);
  if (left > 0) {
    const what = `${left} ${left === 1 ? 'session' : 'sessions'} of the Python zwarm`;
    notices.push(`${windowDir(checkout)} holds ${what} to import: zwarm import .`);
  }
  // A window that leads elsewhere is a sign of them; doctor looks at all stores.
  const window = windowTarget(checkout);
  if (store === null || (window !== null && window !== sessionsDir(store.root)))
    notices.push(...offers(project));
  const another = `zwarm keeps the sessions of another directory that was at ${rootOfProject(path)}`;
  if (others !== null && !mayBelong(project).some(({ root }) => root === others.root))
    notices.push(`${another}; where it was moved to: zwarm relocate --to DIR`);
  return notices;
}
