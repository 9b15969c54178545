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
import { step } from './plan.ts';

/*
 * The module that stands in the place of `src/syscalls.ts` here, in this process (vitest.config.ts) and in the zwarm
 * that `setup.ts` builds: the same calls, each of them counted first.
 */

function counted<F extends (...args: never[]) => unknown>(name: string, call: F): F {
  return ((...args: never[]) => {
    step(name, args);
    return call(...args);
  }) as F;
}

const paths = new Map<number, unknown>();

function openNoted(...args: Parameters<typeof openSync>): number {
  const fd = openSync(...args);
  paths.set(fd, args[0]);
  return fd;
}

/** A call on an open file, counted by the file's path. */
function countedByPath<F extends (fd: number, ...rest: never[]) => unknown>(name: string, call: F): F {
  return ((fd: number, ...rest: never[]) => {
    step(name, [paths.get(fd)]);
    return call(fd, ...rest);
  }) as F;
}

export const mkdir = counted('mkdir', mkdirSync);
export const open = counted('open', openNoted);
export const write = countedByPath('write', writeSync);
export const fsync = countedByPath('fsync', fsyncSync);
export const link = counted('link', linkSync);
export const symlink = counted('symlink', symlinkSync);
export const rename = counted('rename', renameSync);
export const rm = counted('rm', rmSync);
export const utimes = countedByPath('utimes', futimesSync);
export const chmod = counted('chmod', chmodSync);
export const fchmod = countedByPath('fchmod', fchmodSync);
export const spawn = counted('spawn', spawnProcess);
export const spawnSync = counted('spawnSync', spawnProcessSync);
export const killProcess = counted('kill', (pid: number, signal: NodeJS.Signals): void => {
  process.kill(pid, signal);
});
