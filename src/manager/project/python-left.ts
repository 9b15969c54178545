import { findAgent } from '../../agents/registry.ts';
import { sessionIdOf } from '../../core/digest.ts';
import type { SessionId } from '../../core/ids.ts';
import { pythonKey, pythonTurnFiles, readPythonMeta } from '../../store/python-store.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { hasSession } from '../../store/sessions.ts';
import { contextOf, locateProject, type ManagerContext } from '../context.ts';

const isIn = (context: ManagerContext, id: SessionId): boolean =>
  hasSession({ store: { root: locateProject(context).root }, id });

/** Whether a session of a Python zwarm, in its directory, can be imported and has not been: here, or where it worked. */
function isLeft(context: ManagerContext, path: string): boolean {
  const id = sessionIdOf(pythonKey(path));
  // Most were imported here, which is told without a look at a record that may be large.
  if (isIn(context, id)) return false;
  return (
    unlessDamaged(() => {
      const { adapter, working_dir } = readPythonMeta(path);
      pythonTurnFiles(path);
      return findAgent(adapter) !== null && !isIn(contextOf(context, working_dir), id);
    }) ?? false
  );
}

/** How many of these sessions, each the directory of one of a Python zwarm, are left to be imported. */
export function countLeft(context: ManagerContext, paths: readonly string[]): number {
  return paths.filter((path) => isLeft(context, path)).length;
}
