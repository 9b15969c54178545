import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** A shell with that environment, once it runs; it ends with the test, or when it is told to. */
export async function shellWith(env: Record<string, string>): Promise<{ pid: number; end(): Promise<void> }> {
  const child = spawn('/bin/sh', ['-c', 'echo up; read line'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(end);
  await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, end };
}
