/*
 * Every call by which zwarm changes the store, starts a turn or signals its processes. The fault tests build zwarm with a
 * module of the same shape in the place of this one, which counts the calls and lets one of them fail or be the last.
 * Nothing in the published build leads there.
 */

export { spawn, spawnSync } from 'node:child_process';
export {
  chmodSync as chmod,
  copyFileSync as copyFile,
  fchmodSync as fchmod,
  fsyncSync as fsync,
  futimesSync as utimes,
  linkSync as link,
  mkdirSync as mkdir,
  openSync as open,
  renameSync as rename,
  rmdirSync as rmdir,
  rmSync as rm,
  symlinkSync as symlink,
  writeSync as write,
} from 'node:fs';

/** Signals one process. */
export function killProcess(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, signal);
}
