import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { hostIdentity, MARK_VARIABLE, statOf } from '../../src/process/identity.ts';
import { processesWith } from './project.ts';

/** The beginning of marks that nothing else uses, as of the first turn of a session. */
export function newMarks(): string {
  return `t${randomUUID()}.1.`;
}

/** A process in a group of its own, with a mark or none, that runs `script`; ended with the test, with all of both. */
export async function live(
  mark: string | null,
  script = 'echo ready; exec sleep 600',
  args: readonly string[] = [],
) {
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    detached: true,
    env: { PATH: process.env['PATH'], ...(mark === null ? {} : { [MARK_VARIABLE]: mark }) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    const marked = mark === null ? [] : processesWith(`${MARK_VARIABLE}=${mark}`);
    for (const target of [-pid, ...marked]) {
      try {
        process.kill(target, 'SIGKILL');
      } catch {
        // Gone already.
      }
    }
  });
  await once(child.stdout, 'data');
  return { child, pid, identity: { ...hostIdentity(), pid, start: statOf(pid)?.start ?? '' } };
}

/** Ends a process and waits until its parent, we, have taken note. */
export async function end({ child }: { readonly child: ChildProcess }): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
