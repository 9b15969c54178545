import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { isErrno } from '../core/errors.ts';
import type { ProcessIdentity } from '../core/session.ts';
import type { Liveness } from '../core/status.ts';

/** The environment variable that every process of a turn inherits. */
export const MARK_VARIABLE = 'ZWARM_MARK';

/** Whether there is a /proc with the environment of processes; where not, `ps` finds the group of a turn's runner alone. */
export const SHOWS_MARKS = process.platform === 'linux';

/** What the kernel says of a process. */
export interface ProcessStat {
  readonly pid: number;
  readonly ppid: number;
  readonly pgrp: number;
  /** When it started, in the kernel's own words. */
  readonly start: string;
  /** Zombie: it has ended and waits to be collected. */
  readonly dead: boolean;
  /** It was stopped, by Ctrl-Z for example, and does nothing until somebody has it go on. */
  readonly halted: boolean;
  /** Whether it has memory, and with it an environment: not a kernel thread, and not just ending. */
  readonly memory: boolean;
}

/** What `read` finds in /proc, or null where the process is gone, or not ours to read. A lack of descriptors is thrown. */
function unlessGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return null;
    throw error;
  }
}

const textOf = (path: string): string | null => unlessGone(() => readFileSync(path, 'utf8'));

/**
 * Whether a process is our user's and hides its environment: a user namespace or a sandbox sees those outside so. One that
 * closed itself (`PR_SET_DUMPABLE`) belongs to root, one of `newgrp` to another group. Linux only.
 */
export function isClosed(pid: number): boolean {
  try {
    readFileSync(`/proc/${pid}/environ`);
    return false;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH')) return false;
    if (!isErrno(error, 'EACCES', 'EPERM')) throw error;
  }
  // Newer kernels close the environment of one that has ended, too.
  if (!statOf(pid)?.memory) return false;
  const owner = unlessGone(() => statSync(`/proc/${pid}`));
  return owner?.uid === process.getuid?.() && owner?.gid === process.getgid?.();
}

/** The fields of /proc/<pid>/stat from the third on, the state: the name before it may hold spaces and parentheses. */
function statFields(pid: number): readonly string[] | null {
  const text = textOf(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function procStat(pid: number): ProcessStat | null {
  const fields = statFields(pid) ?? [];
  const [state, ppid, pgrp] = fields;
  const start = fields[19];
  if (state === undefined || start === undefined) return null;
  const [dead, halted] = [state === 'Z' || state === 'X', state === 'T'];
  return { pid, ppid: Number(ppid), pgrp: Number(pgrp), start, dead, halted, memory: fields[20] !== '0' };
}

// By absolute path and with nothing of the caller's environment: what it says decides whom we signal.
function psStats(selection: readonly string[]): ProcessStat[] {
  // One -o each: behind the first = the rest of an argument is a header (POSIX).
  const columns = ['pid', 'ppid', 'pgid', 'stat', 'lstart'].flatMap((column) => ['-o', `${column}=`]);
  const env = { LC_ALL: 'C', TZ: 'UTC' };
  const { stdout, error } = spawnSync('/bin/ps', [...selection, ...columns], { encoding: 'utf8', env });
  if (error !== undefined) throw error;
  return [...stdout.matchAll(/^ *(\d+) +(\d+) +(\d+) +(\S+) +(.+?) *$/gm)].map(
    ([, pid, ppid, pgrp, state = '', start = '']) => {
      const [dead, halted] = [state.startsWith('Z'), state.startsWith('T')];
      return { pid: Number(pid), ppid: Number(ppid), pgrp: Number(pgrp), start, dead, halted, memory: !dead };
    },
  );
}

/** One process, or null when there is none of that pid. */
export function statOf(pid: number): ProcessStat | null {
  return SHOWS_MARKS ? procStat(pid) : (psStats(['-p', String(pid)])[0] ?? null);
}

/** How long, and how often, to look at a process that may be becoming another program: that takes some 100 µs. */
const EXEC_MS = 1000;
const ENVIRONMENT_LOOKS = 50;

/** The environment that a process was started with, NUL between the variables; null where we may not read it. */
function environmentOf(pid: number): string | null {
  const path = `/proc/${pid}/environ`;
  const deadline = performance.now() + EXEC_MS;
  let text = textOf(path);
  for (let looks = 0; text === '' && performance.now() < deadline; ) {
    const fields = statFields(pid);
    if (fields === null || fields[20] === '0') break;
    // It has no code: it is becoming another program at this moment, and its environment will come.
    const between = fields[23] === '0';
    if (!between && fields[47] === fields[48]) break;
    if (between) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    text = textOf(path);
    // Still nothing: it has given up the memory in which it lay.
    if (!between && ++looks > ENVIRONMENT_LOOKS) break;
  }
  return text;
}

/** The mark in the environment of a process; null where there is none, or we may not read it. Linux only. */
export function markOf(pid: number): string | null {
  const prefix = `${MARK_VARIABLE}=`;
  const variables = environmentOf(pid)?.split('\0') ?? [];
  return variables.find((variable) => variable.startsWith(prefix))?.slice(prefix.length) ?? null;
}

function bootId(): string {
  if (SHOWS_MARKS) return textOf('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  const asked = spawnSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' });
  if (asked.error !== undefined) throw asked.error;
  return asked.stdout.trim();
}

let namespace: string | undefined;

/** Our pid namespace; asked once, and without what tells the host, which takes longer to load. */
function pidNamespace(): string {
  namespace ??= SHOWS_MARKS ? readlinkSync('/proc/self/ns/pid') : '';
  return namespace;
}

let host: Omit<ProcessIdentity, 'pid' | 'start'> | undefined;

/** What all processes of this machine, boot and pid namespace share; asked once. */
export function hostIdentity(): Omit<ProcessIdentity, 'pid' | 'start'> {
  host ??= {
    host: hostname(),
    boot_id: bootId(),
    pid_ns: pidNamespace(),
    uid: process.getuid?.() ?? 0,
  };
  return host;
}

/** Ourselves. */
export function ownIdentity(): ProcessIdentity {
  return { ...hostIdentity(), pid: process.pid, start: statOf(process.pid)?.start ?? '' };
}

/** Whether /proc is that of our pid namespace; in another one our pids belong to other processes. */
function showsUs(): boolean {
  return !SHOWS_MARKS || readlinkSync('/proc/self') === String(process.pid);
}

/** Whether a process could be seen from here if it were alive. */
export function visibilityOf(identity: ProcessIdentity): 'here' | 'another boot' | 'elsewhere' {
  const mine = hostIdentity();
  if (!showsUs()) return 'elsewhere';
  if (identity.boot_id === mine.boot_id && identity.pid_ns === mine.pid_ns) return 'here';
  // Another boot of the same machine ended all that ran before it.
  return identity.boot_id !== mine.boot_id && identity.host === mine.host ? 'another boot' : 'elsewhere';
}

/** Whether that very process lives. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const seen = visibilityOf(identity);
  if (seen !== 'here') return seen === 'another boot' ? 'no' : 'cannot_tell';
  return isAlive(identity) ? 'yes' : 'no';
}

/** Whether that very process lives, and was not halted. */
export function isAtWork(identity: ProcessIdentity): boolean {
  return livenessOf(identity) === 'yes' && statOf(identity.pid)?.halted === false;
}

/** Whether the process of that pid is alive and is the one that started then. */
export function isAlive({ pid, start }: Pick<ProcessStat, 'pid' | 'start'>): boolean {
  const stat = statOf(pid);
  return stat !== null && !stat.dead && stat.start === start;
}

/** Whether a process is in a pid namespace below ours, such as a sandbox or a container; not where that cannot be told. */
export function isInNamespaceBelow(pid: number): boolean {
  const mine = pidNamespace();
  return (unlessGone(() => readlinkSync(`/proc/${pid}/ns/pid`)) ?? mine) !== mine;
}

/** Every process that can be seen in /proc, those that were started last first. */
export function allProcessIds(): readonly number[] {
  if (!showsUs()) return [];
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.map(Number).sort((a, b) => b - a);
}

/** Every process where there is no /proc. */
export function allProcesses(): readonly ProcessStat[] {
  return psStats(['-ax']);
}
