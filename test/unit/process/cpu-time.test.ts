import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { cpuSeconds, isRunnable } from '../../../src/process/cpu-time.ts';
import { SHOWS_MARKS } from '../../../src/process/identity.ts';
import { eventually } from '../../helpers/project.ts';

/** A shell that runs a script until the test ends. */
function running(script: string): number {
  const child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

test.runIf(SHOWS_MARKS)('what works is runnable, and what sleeps is not', async () => {
  const [works, sleeps] = [running('while :; do :; done'), running('exec sleep 600')];
  await eventually('it works', () => isRunnable(works) && cpuSeconds(works) > 0);
  await eventually('it sleeps', () => !isRunnable(sleeps));
});

test('a process that has gone does not work', async () => {
  const child = spawn('/bin/sh', ['-c', 'exit 0'], { stdio: 'ignore' });
  await once(child, 'exit');
  expect([cpuSeconds(child.pid ?? 0), isRunnable(child.pid ?? 0)]).toEqual([0, false]);
});
