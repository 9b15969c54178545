import { readFileSync } from 'node:fs';
import { allProcessIds, type ProcessStat, SHOWS_MARKS, statOf } from './identity.ts';

/** The unit of the start of a process in /proc/<pid>/stat, the same on every architecture of Linux (proc(5)). */
const TICKS_PER_SECOND = 100;

/** For how long a process has run, in milliseconds; null where the system does not tell that in numbers. */
export function ageOf({ start }: Pick<ProcessStat, 'start'>): number | null {
  if (!SHOWS_MARKS) return null;
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return (uptime - Number(start) / TICKS_PER_SECOND) * 1000;
}

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended, or belongs to somebody else.
    return [];
  }
}

/** The processes that Node runs with this script and first argument, and since when. Null where there is no /proc. */
export function runningScripts(
  script: string,
  argument: string,
): readonly { readonly pid: number; readonly ageMs: number }[] | null {
  if (!SHOWS_MARKS) return null;
  return allProcessIds().flatMap((pid) => {
    const words = argumentsOf(pid);
    const at = words.indexOf(script);
    const stat = at > 0 && words[at + 1] === argument ? statOf(pid) : null;
    const ageMs = stat === null ? null : ageOf(stat);
    return ageMs === null ? [] : [{ pid, ageMs }];
  });
}
