import { accessSync, constants, lstatSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { AGENTS } from '../../agents/registry.ts';
import { shortBytes } from '../../core/bytes.ts';
import { type Finding, finding } from '../../core/check.ts';
import { findConfiner } from '../../process/confine.ts';
import { type FileSystem, fileSystemOf } from '../../store/file-system.ts';
import { projectOf } from '../../store/git.ts';
import type { MovedStore } from '../../store/moved-store.ts';
import { whyNotOurs } from '../../store/own-place.ts';
import { requirePrivate, requireUsable } from '../../store/project-store.ts';
import { type Project, rootOfProject } from '../../store/which-project.ts';
import { requireOutOfReach } from '../access/reach.ts';
import { locateProject, type ManagerContext, movedHere, openStore, stateDirectory } from '../context.ts';
import { listGone, openAll } from '../project/all-stores.ts';
import { offers, projectNotices } from '../project/moved-project.ts';

/** The nearest directory that exists, at a path or above it; what a link there leads to does not count. */
function existing(path: string): string {
  const isDirectory = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory || path === dirname(path) ? path : existing(dirname(path));
}

function mayWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the state directory is one that zwarm may use: ours alone to write, and of a format that we know. */
export function checkStateDirectory(context: ManagerContext): Finding {
  requirePrivate(stateDirectory(context), context);
  const { state, root, store, others } = locateProject(context);
  const known = store ?? others;
  if (known !== null) {
    requireUsable(state, root, context, true);
    return finding('ok', openStore(context, known, false).root);
  }
  const foreign = whyNotOurs(context, state);
  if (foreign !== null)
    return finding('warning', `the first start would create ${root}, and ${foreign.message}`, foreign.hint);
  const above = existing(state);
  if (mayWrite(above)) return finding('ok', `no sessions yet; the first start creates ${root}`);
  const what = `the first start would create ${root}, and you may not write to ${above}`;
  return finding('warning', what, 'set XDG_STATE_HOME to a directory of yours');
}

/** Whether other machines may share the file system: then no process can tell from there who lives. */
export function judgeFileSystem({ remote }: FileSystem): Finding {
  if (remote === null) return finding('ok', 'a local file system');
  const what = `${remote}: if other machines share it, whether a session runs can only be told where it was started, and they may see it late`;
  return finding('warning', what, 'set XDG_STATE_HOME to a local directory');
}

const LITTLE_BYTES = 50_000_000;
const FEW_FILES = 1000;

/** Whether there is room for what agents print. */
export function judgeSpace({ freeBytes, freeFiles }: FileSystem): Finding {
  const space = `${shortBytes(freeBytes)} free`;
  const hint = 'free some space: what an agent prints when the disk is full is lost';
  if (freeBytes < LITTLE_BYTES) return finding('warning', space, hint);
  if (freeFiles === null || freeFiles >= FEW_FILES) return finding('ok', space);
  return finding('warning', `room for ${freeFiles} more files`, hint);
}

/** The file system on which the state directory lies or would lie. */
export function fileSystemHere(context: ManagerContext): FileSystem {
  return fileSystemOf(existing(stateDirectory(context)));
}

/** Whether an agent that would be started here now could change what zwarm relies on. */
export async function checkReach(context: ManagerContext): Promise<Finding> {
  const working_dir = realpathSync(context.cwd);
  const turn = { working_dir, sandbox: 'workspace-write', agent_args: [] } as const;
  const confiner = await findConfiner(context.env, projectOf(working_dir));
  // What nothing confines can, and `confinement` says so.
  const confined = AGENTS.filter(
    ({ confinement }) => confinement?.by === 'agent' || (confinement !== null && confiner !== null),
  );
  const ways = confined.map((adapter) => requireOutOfReach(context, adapter, turn, true));
  const allowed = (await Promise.all(ways)).flat();
  if (allowed.length === 0)
    return finding('ok', 'no agent in the sandbox workspace-write can change what zwarm relies on');
  const words = new Set(allowed.map(({ what, why }) => `${what}: ${why}`));
  return finding('note', `your configuration allows that an agent could ${[...words].join('; ')}`);
}

function whereItWas(project: Project): string {
  const isOwn = ({ root, record }: MovedStore) =>
    root === project.store?.root && record.path !== project.path;
  const moved = movedHere(project).find(isOwn);
  if (moved === undefined) return 'every project with sessions is where it was';
  const was = rootOfProject(moved.record.path);
  return `this project was at ${was}, and has its sessions; the next start keeps them for its new place`;
}

/** Whether the sessions of this project are where it is, and whether projects that are gone have left some. */
export async function checkProjects(context: ManagerContext): Promise<Finding> {
  const { refused } = openAll(context);
  const [first] = refused;
  if (first !== undefined)
    return finding('failed', refused.map(({ message }) => message).join('; '), first.hint);
  const project = locateProject(context);
  const notices = new Set([...(await projectNotices(context)), ...offers(project)]);
  if (notices.size > 0) return finding('warning', [...notices].join('; '));
  const gone = listGone(context);
  if (gone.length === 0) return finding('ok', whereItWas(project));
  const bytes = gone.reduce((sum, one) => sum + one.bytes, 0);
  const named = gone.slice(0, 3).map(({ project }) => project);
  return finding(
    'note',
    `projects that are gone have left ${shortBytes(bytes)} of records: ${named.join(', ')}${gone.length > 3 ? ', …' : ''}`,
    'if they were moved, in the new place: zwarm relocate; to delete these records: zwarm clean --gone',
  );
}
