import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { flush, makeDir, publishOnce } from './files.ts';
import { checkoutAt, mainCheckout } from './git.ts';
import {
  BUILDING_PREFIX,
  FORMAT,
  formatFile,
  ignoreFile,
  STATE_DIR_NAME,
  sessionsDir,
  trashDir,
} from './layout.ts';
import { entriesOf, isRealDirectory, readSmall, unlessDamaged } from './read-file.ts';

/** Where the state directory is, or would be created. */
export interface StatePlace {
  readonly path: string;
  readonly exists: boolean;
}

function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether anybody may put files into a directory, as in /tmp. */
function isPublic(directory: string): boolean {
  return (statSync(directory).mode & 0o002) !== 0;
}

/** The project around a directory. */
interface Project {
  /** Its root, a real path. */
  readonly root: string;
  /** Where its state directory is, or would be. */
  readonly state: StatePlace;
}

/**
 * The project around a directory: its root has the nearest `.zwarm` upwards, or is the root of the git checkout; not in
 * or above a directory where anybody could have put one. Where there is none, it is the directory itself. A linked
 * worktree shares the state directory of the main checkout.
 */
function projectOf(cwd: string): Project {
  const here = realpathSync(cwd);
  for (let at = here; ; at = dirname(at)) {
    const path = join(at, STATE_DIR_NAME);
    if (pathExists(path)) return { root: at, state: { path, exists: true } };
    const checkout = checkoutAt(at);
    if (checkout !== null) {
      const main = mainCheckout(checkout);
      const home = main === null ? path : join(main, STATE_DIR_NAME);
      return { root: at, state: { path: home, exists: pathExists(home) } };
    }
    const above = dirname(at);
    if (above !== at && !isPublic(above)) continue;
    return { root: here, state: { path: join(here, STATE_DIR_NAME), exists: false } };
  }
}

/** The root of the project around a directory, wherever its state directory is; a real path. */
export function projectRootOf(cwd: string): string {
  return projectOf(cwd).root;
}

/**
 * The state directory of a directory: that of the project around it, unless another one is named.
 *
 * @param cwd absolute path
 * @param explicit `--state-dir` or `ZWARM_DIR`, absolute, or null
 */
export function locateStateDir(cwd: string, explicit: string | null): StatePlace {
  return explicit === null ? projectOf(cwd).state : { path: explicit, exists: pathExists(explicit) };
}

/** A word that stands for a directory as long as this machine runs: wherever it is moved or mounted, not for a copy. */
export function directoryMark(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev}-${ino}`;
}

/** The version of a state directory, infinite for one that is no number; null where it cannot be read. */
function formatOf(root: string): number | null {
  const text = unlessDamaged(() => readSmall(formatFile(root))?.bytes.toString().trim() ?? '');
  // Its creator died before it wrote the version: nothing else is in it.
  if (text === '') return FORMAT;
  if (text === null) return null;
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/** Whether a directory is somebody's own: what we would add, a .gitignore for everything, would hide it from git. */
function holdsOther(root: string): boolean {
  if (pathExists(formatFile(root))) return false;
  // Another command may be making it at this moment: then the version can be there by now.
  const parts = [ignoreFile, formatFile, sessionsDir, trashDir].map((path) => basename(path(root)));
  return entriesOf(root).some(({ name }) => !parts.includes(name) && !name.startsWith(BUILDING_PREFIX));
}

/**
 * The real path of a state directory, once it is certain that it is ours alone to write.
 * @throws ZwarmError `state_dir_unsafe`, `format_newer` (for writers)
 */
export function openStateDir(path: string, uid: number, forWriting: boolean): string {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) {
    const what = stat.isSymbolicLink() ? 'a symbolic link' : 'no directory';
    throw new ZwarmError(
      'state_dir_unsafe',
      `${path} is ${what}`,
      'move it away, or choose another with --state-dir DIR',
    );
  }
  if (stat.uid !== uid) {
    throw new ZwarmError(
      'state_dir_unsafe',
      `${path} belongs to another user (uid ${stat.uid})`,
      'run zwarm as that user, or choose another place with --state-dir DIR',
    );
  }
  if ((stat.mode & 0o022) !== 0) {
    // Never advice to close a directory that is not ours, such as /tmp.
    const ours = basename(path) === STATE_DIR_NAME || pathExists(formatFile(path));
    throw new ZwarmError(
      'state_dir_unsafe',
      `others can write to ${path}`,
      ours ? `make it yours alone: chmod 700 '${path}'` : 'choose another with --state-dir DIR',
    );
  }
  if (forWriting && holdsOther(path)) {
    throw new ZwarmError(
      'state_dir_unsafe',
      `${path} is no state directory of zwarm, and not empty`,
      'choose a new or an empty one with --state-dir DIR',
    );
  }
  const root = realpathSync(path);
  // An agent may have put a link in their place, to have us list, write or delete elsewhere.
  for (const part of [sessionsDir(root), trashDir(root)]) {
    if (!pathExists(part) || isRealDirectory(part)) continue;
    const hint =
      'look who put it there; move it away, or choose another state directory with --state-dir DIR';
    throw new ZwarmError('state_dir_unsafe', `${part} is no directory`, hint);
  }
  const format = formatOf(root);
  if (forWriting && format === null) {
    const hint = 'look who put it there; remove it';
    throw new ZwarmError('state_dir_unsafe', `the version in ${formatFile(root)} cannot be read`, hint);
  }
  if (forWriting && format !== null && format > FORMAT) {
    throw new ZwarmError('format_newer', `${path} was written by a newer zwarm`, 'update zwarm');
  }
  return root;
}

function makeDirUnlessThere(path: string): boolean {
  try {
    makeDir(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Makes the state directory complete: it may be new, half made by a command that was killed, or being made by another.
 * `unique` keeps the temporary files of two makers apart.
 */
export function ensureStateDir(path: string, unique: string): void {
  const publish = (file: string, content: string): boolean =>
    !pathExists(file) &&
    publishOnce(file, content, join(path, `${BUILDING_PREFIX}${unique}.${basename(file)}`));
  const created = [
    makeDirUnlessThere(path),
    // An agent's `git add -A` must not commit prompts: never half written, and there before the first of them.
    publish(ignoreFile(path), '*\n'),
    publish(formatFile(path), `${FORMAT}\n`),
    makeDirUnlessThere(sessionsDir(path)),
    // Made while there is room: on a full disk a session could not be moved there to be removed.
    makeDirUnlessThere(trashDir(path)),
  ];
  if (!created.includes(true)) return;
  flush(path);
  flush(dirname(path));
}
