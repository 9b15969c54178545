import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hostIdentity, MARK_VARIABLE, statOf } from '../../../src/process/identity.ts';
import { stopTurn } from '../../../src/process/stop.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { eventually, processesWith } from '../../helpers/project.ts';

test('an agent that its runner begins only after the first look is ended too', async () => {
  const directory = emptyDirectory();
  const mark = `late-agent.1.${process.pid}`;
  const [go, record] = ['go', 'record'].map((name) => join(directory, name));
  if (go === undefined || record === undefined) throw new Error('unreachable');
  // As the turn runner between its look for cancel.json and its agent.
  const script = 'trap : INT TERM; while ! [ -e "$1" ]; do :; done; sleep 1000; : > "$2"';
  const child = spawn('/bin/sh', ['-c', script, 'sh', go, record], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], [MARK_VARIABLE]: mark },
  });
  onTestFinished(() => {
    for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL');
  });
  const pid = child.pid ?? 0;
  await eventually('the runner bears its mark', () => processesWith(mark).includes(pid));
  let looks = 0;
  const left = await stopTurn({
    runner: { ...hostIdentity(), pid, start: statOf(pid)?.start ?? '' },
    mark,
    signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
    graceMs: 100,
    ended() {
      looks += 1;
      // After every look that comes before the waiting for the record.
      if (looks === 6) writeFileSync(go, '');
      return existsSync(record);
    },
  });
  expect(left).toEqual([]);
  await eventually('nothing is left', () => processesWith(mark).length === 0, 5);
  expect(existsSync(record)).toBe(true);
});
