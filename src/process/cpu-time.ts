import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isErrno } from '../core/errors.ts';
import { SHOWS_MARKS } from './identity.ts';

/** Clock ticks of the kernel in a second: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS = 100;

/** What is read of a process, or `otherwise` where it has gone. Any other error is none of its absence. */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH')) return otherwise;
    throw error;
  }
}

/** The fields of a process as the kernel tells them, from its state on. */
function fieldsOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function ofProc(pid: number): number {
  const fields = fieldsOf(pid);
  // utime, stime, and the same of the children that it has waited for.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}

/** How long a process and its ended children have worked (seconds); 0 where it has gone. */
export function cpuSeconds(pid: number): number {
  if (SHOWS_MARKS) return unlessGone(() => ofProc(pid), 0);
  const { stdout } = spawnSync('/bin/ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' });
  const [seconds = 0, minutes = 0, hours = 0] = stdout.trim().split(':').reverse().map(Number);
  return seconds + 60 * minutes + 3600 * hours;
}

/** Whether a process works, or would if it had a processor, at this moment; false where that cannot be told. */
export function isRunnable(pid: number): boolean {
  return SHOWS_MARKS && unlessGone(() => fieldsOf(pid)[0] === 'R', false);
}
