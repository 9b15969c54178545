import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errnoOf } from '../core/errors.ts';
import type { ProcessIdentity } from '../core/session.ts';
import type { Liveness } from '../core/status.ts';

/** What all processes that we can see have in common: the part of an identity that is no process's own. */
export type HostIdentity = Pick<ProcessIdentity, 'host' | 'boot_id' | 'pid_ns' | 'uid'>;

/** The environment variable by which every process of a turn can be told. */
export const MARK_VARIABLE = 'ZWARM_MARK';

/** What the kernel says of a living process. */
export interface ProcessStat {
  readonly pid: number;
  readonly ppid: number;
  readonly pgrp: number;
  readonly start: string;
  /** Zombie: it has ended and waits to be collected. */
  readonly dead: boolean;
}

const LINUX = process.platform === 'linux';

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone, or not ours to read: both mean that nothing is known.
    return null;
  }
}

function parseProcStat(pid: number, text: string): ProcessStat | null {
  // The name may hold spaces and parentheses: the fields begin behind the last ')'.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, pgrp] = fields;
  const start = fields[19];
  if (state === undefined || start === undefined) return null;
  return { pid, ppid: Number(ppid), pgrp: Number(pgrp), start, dead: state === 'Z' || state === 'X' };
}

function parsePsLine(line: string): ProcessStat | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (!match) return null;
  const [, pid, ppid, pgrp, state, start] = match;
  if (start === undefined || state === undefined) return null;
  return { pid: Number(pid), ppid: Number(ppid), pgrp: Number(pgrp), start, dead: state.startsWith('Z') };
}

/** Every process that `ps` shows, or one of them; for systems without /proc. */
function psStats(selection: readonly string[]): ProcessStat[] {
  // One -o each: behind the first = the rest of an argument is a header (POSIX).
  const columns = ['pid', 'ppid', 'pgid', 'stat', 'lstart'].flatMap((column) => ['-o', `${column}=`]);
  // By absolute path and with nothing of the caller's environment: what it says decides whom we signal.
  const env = { LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = spawnSync('/bin/ps', [...selection, ...columns], { encoding: 'utf8', env });
  return (stdout ?? '').split('\n').flatMap((line) => parsePsLine(line) ?? []);
}

/** One process, or null when there is none of that pid. */
export function statOf(pid: number): ProcessStat | null {
  if (!LINUX) return psStats(['-p', String(pid)])[0] ?? null;
  const text = textOf(`/proc/${pid}/stat`);
  return text === null ? null : parseProcStat(pid, text);
}

/** The mark in a process's environment; null when it has none or it may not be read. Linux only. */
export function markOf(pid: number): string | null {
  const environment = textOf(`/proc/${pid}/environ`);
  const prefix = `${MARK_VARIABLE}=`;
  const entry = environment?.split('\0').find((variable) => variable.startsWith(prefix));
  return entry === undefined ? null : entry.slice(prefix.length);
}

function bootId(): string {
  if (LINUX) return textOf('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  const { stdout } = spawnSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' });
  return (stdout ?? '').trim();
}

let host: HostIdentity | undefined;

/** This machine, this boot and this pid namespace; asked once. */
export function hostIdentity(): HostIdentity {
  host ??= {
    host: hostname(),
    boot_id: bootId(),
    pid_ns: LINUX ? readlinkSync('/proc/self/ns/pid') : '',
    uid: process.getuid?.() ?? 0,
  };
  return host;
}

/** Ourselves. */
export function ownIdentity(): ProcessIdentity {
  return { ...hostIdentity(), pid: process.pid, start: statOf(process.pid)?.start ?? '' };
}

/** Whether we can see that process at all, were it alive. */
function visibility(identity: ProcessIdentity): 'here' | 'another boot' | 'elsewhere' {
  const mine = hostIdentity();
  if (identity.boot_id === mine.boot_id && identity.pid_ns === mine.pid_ns) return 'here';
  // Another boot of the same machine ended all that ran before it.
  return identity.boot_id !== mine.boot_id && identity.host === mine.host ? 'another boot' : 'elsewhere';
}

/**
 * Whether that very process lives. With a mark, it must also bear it (Linux): a record that names a stranger's pid,
 * even with the right start time, is not believed.
 */
export function livenessOf(identity: ProcessIdentity, mark: string | null): Liveness {
  const seen = visibility(identity);
  if (seen !== 'here') return seen === 'another boot' ? 'no' : 'cannot_tell';
  const stat = statOf(identity.pid);
  if (stat === null || stat.dead || stat.start !== identity.start) return 'no';
  return mark === null || !LINUX || markOf(identity.pid) === mark ? 'yes' : 'no';
}

/** Every process of this pid namespace. */
export function allProcesses(): ProcessStat[] {
  if (!LINUX) return psStats(['-ax']);
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
}

/** Whether any living process of a group bears a mark: the agent may outlive its runner. */
export function groupLives(leader: ProcessIdentity, mark: string): boolean {
  if (visibility(leader) !== 'here' || !groupExists(leader.pid)) return false;
  return allProcesses().some(
    ({ pid, pgrp, dead }) => pgrp === leader.pid && !dead && (!LINUX || markOf(pid) === mark),
  );
}

function groupExists(pgrp: number): boolean {
  if (pgrp <= 1) return false;
  try {
    process.kill(-pgrp, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
