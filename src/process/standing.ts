import { readlinkSync } from 'node:fs';
import { isErrno } from '../core/errors.ts';
import { allProcessIds } from './identity.ts';
import { askBytes } from './run.ts';

/** `lsof` looks at every process of the user. */
const LSOF_MS = 20_000;

function readAll(): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const pid of allProcessIds()) {
    try {
      found.set(pid, readlinkSync(`/proc/${pid}/cwd`));
    } catch (error) {
      // It has ended, or is another user's.
      if (!isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) throw error;
    }
  }
  return found;
}

/** What `lsof -F pn` prints: `p<pid>`, then for each file `n<path>`. */
function parseLsof(printed: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  let pid = 0;
  for (const line of printed.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    if (line.startsWith('n')) found.set(pid, line.slice(1));
  }
  return found;
}

/**
 * In which directory each process stands that we may look at, by its pid; `own`: where this one does. @throws Error where the
 * system does not tell
 */
export async function whereProcessesStand(
  env: Readonly<Record<string, string | undefined>>,
  own: string,
): Promise<ReadonlyMap<number, string>> {
  if (process.platform === 'linux') return new Map([...readAll(), [process.pid, own]]);
  const question = { cwd: '/', env, timeoutMs: LSOF_MS, limit: 1 << 24 };
  const { stdout } = await askBytes('/usr/sbin/lsof', ['-w', '-d', 'cwd', '-F', 'pn'], question);
  return new Map([...parseLsof(stdout.toString()), [process.pid, own]]);
}
