import * as processes from 'node:child_process';
import * as fs from 'node:fs';
import { step } from './plan.ts';

/*
 * The module that stands in the place of `src/syscalls.ts` here, in this process (vitest.config.ts) and in the zwarm
 * that `setup.ts` builds: the same calls, each of them counted first.
 */

const paths = new Map<unknown, unknown>();

/** A call that is counted with its paths, also one on an open file. */
function counted<F extends (...args: never[]) => unknown>(name: string, call: F): F {
  return ((...args: never[]) => {
    step(name, [paths.get(args[0]) ?? args[0], ...args.slice(1)]);
    return call(...args);
  }) as F;
}

export const open = counted('open', (...args: Parameters<typeof fs.openSync>): number => {
  const fd = fs.openSync(...args);
  paths.set(fd, args[0]);
  return fd;
});
export const mkdir = counted('mkdir', fs.mkdirSync);
export const write = counted('write', fs.writeSync);
export const fsync = counted('fsync', fs.fsyncSync);
export const link = counted('link', fs.linkSync);
export const symlink = counted('symlink', fs.symlinkSync);
export const rename = counted('rename', fs.renameSync);
export const rm = counted('rm', fs.rmSync);
export const utimes = counted('utimes', fs.futimesSync);
export const chmod = counted('chmod', fs.chmodSync);
export const fchmod = counted('fchmod', fs.fchmodSync);
export const spawn = counted('spawn', processes.spawn);
export const spawnSync = counted('spawnSync', processes.spawnSync);
export const killProcess = counted('kill', (pid: number, signal: NodeJS.Signals): void => {
  process.kill(pid, signal);
});
