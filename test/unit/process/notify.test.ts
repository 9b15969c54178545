import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runNotifier } from '../../../src/process/notify.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { eventually, processesWith } from '../../helpers/project.ts';

/** Runs a script as the user's program for notifications. */
function notified(script: string, more: Partial<Parameters<typeof runNotifier>[1]> = {}) {
  const directory = emptyDirectory();
  const path = join(directory, 'tell');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  const env = { PATH: `${directory}:/usr/bin:/bin`, HERE: directory };
  const given = { env, projects: [], input: '{}\n', timeoutMs: 60_000, ...more };
  return { directory, run: (name = path) => runNotifier([name, '$HERE', 'a  b'], given) };
}

test('it gets its arguments without a shell, its input on stdin, and what it prints is kept', async () => {
  const { run } = notified('cat; echo "$#" "$@"; pwd; echo oh >&2');
  expect(await run()).toEqual({ problem: null, output: '{}\n2 $HERE a  b\n/\noh' });
});

test.each<[does: string, script: string, problem: RegExp]>([
  ['fails', 'echo why; exit 3', /^it ended with exit code 3$/],
  ['is killed', 'kill -9 $$', /^it was ended by SIGKILL$/],
  ['floods', 'exec yes', /^it printed more than 65536 bytes$/],
])('one that %s is told so', async (_, script, problem) => {
  expect((await notified(script).run()).problem).toMatch(problem);
});

test('one that hangs is killed with all that it has started', async () => {
  const { directory, run } = notified('sleep 1234 & sleep 1234', { timeoutMs: 300 });
  expect(await run()).toEqual({ problem: 'it gave no answer within 0.3 s', output: '' });
  await eventually('nothing of it lives', () => processesWith(`HERE=${directory}`).length === 0);
});

test('one that reads nothing of a long input is no failure', async () => {
  const { run } = notified('exit 0', { input: 'x'.repeat(1 << 20) });
  expect(await run()).toEqual({ problem: null, output: '' });
});

test('one that is missing, cannot be run, or lies where an agent may have put it', async () => {
  const { directory, run } = notified('touch "$HERE/ran"');
  expect((await run('no-such-program')).problem).toBe('it was not found on the PATH');
  expect((await run('/nowhere/tell')).problem).toBe('/nowhere/tell does not exist');
  expect((await run('~/tell')).problem).toBe('/tell does not exist');
  writeFileSync(join(directory, 'not-executable'), '');
  expect((await run(join(directory, 'not-executable'))).problem).toMatch(/EACCES/);
  const env = { PATH: directory, HERE: directory };
  const planted = notified('', { env, projects: [directory] });
  expect((await planted.run('tell')).problem).toMatch(/^.*\/tell lies in .*: name its whole path$/);
  expect(existsSync(join(directory, 'ran'))).toBe(false);
  // Named by its whole path, it is meant.
  await planted.run(join(directory, 'tell'));
  expect((await run('tell')).problem).toBe(null);
  expect(existsSync(join(directory, 'ran'))).toBe(true);
});
