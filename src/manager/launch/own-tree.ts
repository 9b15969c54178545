import { basename, dirname } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isWithin } from '../../core/path.ts';
import { treeEnvironment } from '../../core/rules/tree-environment.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { withoutLinks } from '../../store/real-path.ts';
import type { OwnTree, SessionRecord } from '../../store/records.ts';
import { readRequest, readSessionRecord } from '../../store/sessions.ts';
import { isUntouched, knownTree, listUntouched, recordTouched } from '../../store/trees.ts';
import { rootOfProject } from '../../store/which-project.ts';
import { listWriters } from '../../store/writers.ts';
import { writableBy } from '../access/reach.ts';
import type { ManagerContext, Session } from '../context.ts';
import { adapterOf } from '../turn/turn-state.ts';
import { launchOf } from '../turn/turn-stream.ts';
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

/** A turn, as far as it decides where its agent can write. */
interface Reaching extends Pick<NextTurn, 'adapter'> {
  readonly record: Pick<SessionRecord, 'working_dir' | 'sandbox' | 'agent_args'>;
  readonly isConfined: boolean;
}

/** Whether the agent of a turn can write in a tree; one without a sandbox can anywhere, and counts where it works. */
async function reaches(
  context: ManagerContext,
  { record, adapter, isConfined }: Reaching,
  path: string,
): Promise<boolean> {
  if (record.sandbox === 'read-only') return false;
  const { directories } = await writableBy(context, adapter.confinement, record, isConfined);
  // Where it is now, too, if it lies behind a link since it was made.
  const paths = [path, withoutLinks(path)];
  return [record.working_dir, ...directories].some((at) =>
    paths.some((one) => isWithin(one, at) || isWithin(at, one)),
  );
}

/** The first other session whose agent writes now and can do so in the tree of a session; or null. */
export async function othersReaching(
  context: ManagerContext,
  { store, id: own }: Session,
  path: string,
): Promise<SessionId | null> {
  for (const { id, turn } of listWriters(store.root)) {
    const other = { store, id, turn };
    if (id === own || !isWorking(other)) continue;
    const record = unlessDamaged(() => readSessionRecord(other));
    const adapter = record && adapterOf(record, readRequest(other));
    const isConfined = launchOf(other)?.confined_by != null;
    if (
      record === null ||
      adapter === null ||
      (await reaches(context, { record, adapter, isConfined }, path))
    )
      return id;
  }
  return null;
}

/**
 * Records that an agent is going to write in the worktrees of other sessions that it reaches: no setup runs there any more.
 * @throws ZwarmError `busy` while one may run
 */
export async function touchOthersTrees(
  context: ManagerContext,
  { store, id: own, record, adapter, confiner }: Session & Pick<NextTurn, 'record' | 'adapter' | 'confiner'>,
): Promise<void> {
  const turn = { record, adapter, isConfined: confiner !== null };
  for (const id of listUntouched(store.root)) {
    const session = { store, id };
    const path = id === own ? undefined : knownTree(session)?.path;
    if (path === undefined || !(await reaches(context, turn, path))) continue;
    if (isWorking(session))
      throw new ZwarmError('busy', `${path} is just being made ready for ${id}`, 'try again in a while');
    recordTouched(session);
  }
}
