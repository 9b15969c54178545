import { basename, dirname } from 'node:path';
import { treeEnvironment } from '../../core/rules/tree-environment.ts';
import type { OwnTree, SessionRecord } from '../../store/records.ts';
import { isUntouched } from '../../store/trees.ts';
import { rootOfProject } from '../../store/which-project.ts';
import type { ManagerContext, Session } from '../context.ts';

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
