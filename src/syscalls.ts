import { spawn as spawnProcess, spawnSync as spawnProcessSync } from 'node:child_process';
import {
  chmodSync,
  fchmodSync,
  fsyncSync,
  futimesSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';

/*
 * Every call by which zwarm changes the store, starts a turn or signals its processes. The fault tests build zwarm with a
 * module of the same shape in the place of this one, which counts the calls and lets one of them fail or be the last.
 * Nothing in the published build leads there.
 */

export const mkdir: typeof mkdirSync = mkdirSync;
export const open: typeof openSync = openSync;
export const write: typeof writeSync = writeSync;
export const fsync: typeof fsyncSync = fsyncSync;
export const link: typeof linkSync = linkSync;
export const symlink: typeof symlinkSync = symlinkSync;
export const rename: typeof renameSync = renameSync;
export const rm: typeof rmSync = rmSync;
export const utimes: typeof futimesSync = futimesSync;
export const chmod: typeof chmodSync = chmodSync;
export const fchmod: typeof fchmodSync = fchmodSync;
export const spawn: typeof spawnProcess = spawnProcess;
export const spawnSync: typeof spawnProcessSync = spawnProcessSync;

/** Signals one process. */
export function killProcess(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, signal);
}
