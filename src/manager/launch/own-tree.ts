import { basename, dirname } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import { treeEnvironment } from '../../core/rules/tree-environment.ts';
import type { OwnTree, SessionRecord } from '../../store/records.ts';
import { isUntouched, knownTree, listUntouched, recordTouched } from '../../store/trees.ts';
import { rootOfProject } from '../../store/which-project.ts';
import { writableBy } from '../access/reach.ts';
import type { ManagerContext, Session } from '../context.ts';
import { isWorking } from '../turn/writers.ts';
import type { NextTurn } from './continuation.ts';

/** The main checkout of a worktree's repository; null where that is bare. */
function mainOf({ git_dir }: OwnTree): string | null {
  const common = dirname(dirname(git_dir));
  const main = rootOfProject(common);
  return main === common ? null : main;
}

/** What the turns of a session with a tree of its own have in their environment besides. */
export function environmentIn(tree: OwnTree | null): ManagerContext['env'] {
  if (tree === null) return {};
  const main = mainOf(tree);
  const project = basename(main ?? dirname(dirname(tree.git_dir)));
  return treeEnvironment({ path: tree.path, main, project, portBase: tree.port_base });
}

/** How a worktree is made ready: a shell command, and how long it may take. */
interface Setup {
  readonly command: string;
  readonly timeoutS: number;
}

/**
 * What the file of the project says that makes a worktree ready, while the user trusts that; else null. The file is that of
 * the main checkout, or where there is none, of the checkout that the worktree was made from. @throws ZwarmError `config`
 */
export async function setupOf({ env, loadSettings }: ManagerContext, tree: OwnTree): Promise<Setup | null> {
  const projectRoot = mainOf(tree) ?? tree.checkout;
  if (projectRoot === null) return null;
  const { filling } = await loadSettings({ env, projectRoot });
  if (filling === null || filling.setup === null || !filling.isTrusted) return null;
  return { command: filling.setup, timeoutS: filling.timeoutS };
}

/**
 * Whether the worktree of a session is to be made ready before this turn: it is its own, and nothing is in it that an agent
 * may have changed, there or elsewhere, which a setup would run outside of any sandbox.
 */
export async function needsSetup(
  context: ManagerContext,
  session: Session,
  { worktree }: Pick<SessionRecord, 'worktree'>,
): Promise<boolean> {
  return worktree !== null && isUntouched(session) && (await setupOf(context, worktree)) !== null;
}

/**
 * Records that an agent is going to write in the worktrees of other sessions that it reaches: no setup runs there any more.
 * @throws ZwarmError `busy` while one may run
 */
export async function touchOthersTrees(
  context: ManagerContext,
  { store, id: own, record, adapter, confiner }: Session & Pick<NextTurn, 'record' | 'adapter' | 'confiner'>,
): Promise<void> {
  const untouched = listUntouched(store.root).filter((id) => id !== own);
  if (untouched.length === 0 || record.sandbox === 'read-only') return;
  const { directories } = await writableBy(context, adapter.confinement, record, confiner !== null);
  for (const id of untouched) {
    const session = { store, id };
    const path = knownTree(session)?.path;
    const isReached = (at: string) => path !== undefined && (isWithin(path, at) || isWithin(at, path));
    if (![record.working_dir, ...directories].some(isReached)) continue;
    if (isWorking(session))
      throw new ZwarmError('busy', `${path} is just being made ready for ${id}`, 'try again in a while');
    recordTouched(session);
  }
}
