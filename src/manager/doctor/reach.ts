import { existsSync, realpathSync } from 'node:fs';
import { type Finding, finding } from '../../core/check.ts';
import { isWithin } from '../../core/path.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { listSessionIds, readSessionRecord } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';

/**
 * The directories that agents in the sandbox `workspace-write` may write to: the one in which an agent would be
 * started now, those in which the sessions of the store work, and the temporary ones.
 */
function writableRoots({ cwd, env }: ManagerContext, { root }: Store): readonly string[] {
  const working = listSessionIds(root).flatMap((id) => {
    const record = unlessDamaged(() => readSessionRecord(root, id))?.record;
    return record?.sandbox === 'workspace-write' ? [record.working_dir] : [];
  });
  const temporary = ['/tmp', env['TMPDIR'] ?? ''].filter((path) => existsSync(path));
  return [...working, ...[cwd, ...temporary].map((path) => realpathSync(path))];
}

/** The nearest directory around a path to which agents may write, or null. */
export function reachOf(context: ManagerContext, store: Store, path: string): string | null {
  const around = writableRoots(context, store).filter((directory) => isWithin(path, directory));
  return around.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** Whether an agent in its sandbox may write into the state directory: often so, and good to know. */
export function checkReach(context: ManagerContext, store: Store): Finding {
  const from = reachOf(context, store, store.root);
  if (from === null)
    return finding('ok', 'no agent in the sandbox workspace-write can write to the state directory');
  return finding(
    'note',
    `agents in the sandbox workspace-write can write to the state directory, as it lies in ${from}; what a later turn acts on is sealed`,
    'to keep all of it out of their reach, set ZWARM_DIR to a directory elsewhere',
  );
}
