import * as processes from 'node:child_process';
import * as fs from 'node:fs';

// The module that stands in the place of `src/syscalls.ts` here, in this process (vitest.config.ts) and in the zwarm
// that `setup.ts` builds: the same calls, each of them counted first.

/** How a call goes wrong: the process is killed before it, or it fails with this code, once or from there on. */
export interface Fault {
  readonly kind: 'SIGKILL' | 'ENOSPC' | 'EIO' | 'EACCES' | 'EMFILE';
  /** Counted from 1. */
  readonly at: number;
  readonly onwards: boolean;
}

let fault: Fault | null = null;
let calls: string[] = [];
let other: { readonly call: RegExp; readonly act: () => void } | null = null;

/** Counts calls from here on, and lets one of them go wrong. */
export function arm(next: Fault | null): void {
  fault = next;
  calls = [];
}

/** Does once what another command does just before the first call whose text fits. */
export function meanwhile(call: RegExp, act: () => void): void {
  other = { call, act };
}

/** Lets all calls be again; what was called meanwhile, each as its name and its texts: `rename /from /to`. */
export function disarm(): readonly string[] {
  fault = null;
  return calls;
}

/** Called before every call that changes the machine. */
function step(name: string, args: readonly unknown[]): void {
  calls.push([name, ...args.filter((arg) => typeof arg === 'string')].join(' '));
  if (other?.call.test(calls.at(-1) ?? '')) {
    const { act } = other;
    other = null;
    act();
  }
  if (fault === null || (fault.onwards ? calls.length < fault.at : calls.length !== fault.at)) return;
  if (fault.kind === 'SIGKILL') {
    process.kill(process.pid, 'SIGKILL');
    // The signal is delivered before the call returns; should it not be, nothing may happen any more.
    for (;;);
  }
  // No disk refuses a signal for ever, and for a single one there is but one reason.
  if (name === 'kill' && fault.onwards) return;
  const code = name === 'kill' ? 'EPERM' : fault.kind;
  throw Object.assign(new Error(`injected: ${code} at call ${calls.length} (${name})`), { code });
}

// A zwarm that was built with this module and runs as a process of its own is told so; what it starts is not.
const told = /^(SIGKILL)@(\d+)$/.exec(process.env['ZWARM_FAULT'] ?? '');
delete process.env['ZWARM_FAULT'];
if (told !== null) arm({ kind: 'SIGKILL', at: Number(told[2]), onwards: false });

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
export const copyFile = counted('copyFile', fs.copyFileSync);
export const mkdir = counted('mkdir', fs.mkdirSync);
export const write = counted('write', fs.writeSync);
export const fsync = counted('fsync', fs.fsyncSync);
export const link = counted('link', fs.linkSync);
export const symlink = counted('symlink', fs.symlinkSync);
export const rename = counted('rename', fs.renameSync);
export const rmdir = counted('rmdir', fs.rmdirSync);
export const rm = counted('rm', fs.rmSync);
export const utimes = counted('utimes', fs.futimesSync);
export const chmod = counted('chmod', fs.chmodSync);
export const fchmod = counted('fchmod', fs.fchmodSync);
export const spawn = counted('spawn', processes.spawn);
export const spawnSync = counted('spawnSync', processes.spawnSync);
export const killProcess = counted('kill', (pid: number, signal: NodeJS.Signals): void => {
  process.kill(pid, signal);
});
