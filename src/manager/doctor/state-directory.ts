import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Finding, finding } from '../../core/check.ts';
import { errnoOf } from '../../core/errors.ts';
import { type FileSystem, fileSystemOf } from '../../store/file-system.ts';
import { locateStateDir, openStateDir, type StatePlace } from '../../store/locate.ts';
import { isForbidden } from '../../store/read-file.ts';
import { explicitStateDir, type ManagerContext } from '../context.ts';

/** Where the state directory is or would be. @throws the error of the file system where that cannot be told */
export function placeOf(context: ManagerContext): StatePlace {
  return locateStateDir(context.cwd, explicitStateDir(context));
}

/** The nearest directory that exists, at a path or above it; what a link in its place leads to does not count. */
function existing(path: string): string {
  const isDirectory = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory || path === dirname(path) ? path : existing(dirname(path));
}

function mayWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (isForbidden(error) || errnoOf(error) === 'EROFS') return false;
    throw error;
  }
}

/** Whether the state directory is one that zwarm may use: ours alone to write, and of a format that we know. */
export function checkStateDirectory(context: ManagerContext): Finding {
  const { path, exists } = placeOf(context);
  if (exists) {
    // As a verb that writes would see it.
    openStateDir(path, context.uid, true);
    return finding('ok', path);
  }
  const above = existing(dirname(path));
  if (mayWrite(above)) return finding('ok', `not there yet; the first start creates ${path}`);
  return finding(
    'warning',
    `${path} is not there yet, and you may not write to ${above}`,
    'go to a directory of yours, or choose another place with --state-dir DIR',
  );
}

/** Whether other machines may share the file system: then nobody else can tell who lives. */
export function judgeFileSystem({ remote }: FileSystem): Finding {
  if (remote === null) return finding('ok', 'a local file system');
  return finding(
    'warning',
    `${remote}: if other machines share it, whether a session runs can only be told where it was started, and they may see it late`,
    'choose a local directory with ZWARM_DIR or --state-dir DIR',
  );
}

const LITTLE_BYTES = 50_000_000;
const FEW_FILES = 1000;

/** Whether there is room for what agents print. */
export function judgeSpace({ freeBytes, freeFiles }: FileSystem): Finding {
  const space = `${Math.floor(freeBytes / 1_000_000).toLocaleString('en-US')} MB free`;
  const hint = 'free some space: what an agent prints when the disk is full is lost';
  if (freeBytes < LITTLE_BYTES) return finding('warning', space, hint);
  if (freeFiles === null || freeFiles >= FEW_FILES) return finding('ok', space);
  return finding('warning', `room for ${freeFiles} more files`, hint);
}

/** The file system on which the state directory lies or would lie. */
export function fileSystemHere(context: ManagerContext): FileSystem {
  return fileSystemOf(existing(placeOf(context).path));
}
