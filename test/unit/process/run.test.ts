import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { ask, pipeToTerminal } from '../../../src/process/run.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { eventually, processesWith } from '../../helpers/project.ts';

const PATH = process.env['PATH'];

function askShell(script: string, timeoutMs = 60_000, env: Record<string, string> = {}) {
  return ask('/bin/sh', ['-c', script], { cwd: '/', env: { PATH, ...env }, timeoutMs });
}

test('an answer has both streams and the exit code, whatever that is', async () => {
  const answer = { code: 3, stdout: 'out\n', stderr: 'err\n' };
  expect(await askShell('echo out; echo err >&2; exit 3')).toEqual(answer);
});

test('it is asked where and with what a turn would run, without input and away from the terminal', async () => {
  const directory = emptyDirectory();
  const script = 'pwd; echo "$WORD"; cat; [ -t 0 ] || echo none; ps -o pgid= -p $$ | tr -d " "; echo $$';
  const options = { cwd: directory, env: { PATH, WORD: 'hello' }, timeoutMs: 60_000 };
  const { stdout } = await ask('/bin/sh', ['-c', script], options);
  const [group] = stdout.split('\n').slice(-2);
  expect(stdout).toBe(`${directory}\nhello\nnone\n${group}\n${group}\n`);
});

/** A mark for the environment; what still bears it when the test ends is killed. */
function createMark(): string {
  const mark = `mark-of-${randomUUID()}`;
  onTestFinished(() => {
    for (const pid of processesWith(`MARK=${mark}`)) process.kill(pid, 'SIGKILL');
  });
  return mark;
}

// The inner shell stays a process of its own, and holds the streams.
test.each([
  ['does not answer in time', 'trap "" TERM; (sleep 1000; :) & wait', 500, 'it gave no answer within 0.5 s'],
  ['prints without end', 'yes', 60_000, 'it printed more than 65536 bytes'],
])('who %s is killed with all that it has started', async (_, script, timeoutMs, why) => {
  const MARK = createMark();
  await expect(askShell(script, timeoutMs, { MARK })).rejects.toThrow(why);
  await eventually('all of it ended', () => processesWith(`MARK=${MARK}`).length === 0);
});

test('what stays in the background with its streams open holds nobody up', async () => {
  const answer = await askShell('echo done; sleep 1000 &', 60_000, { MARK: createMark() });
  expect(answer).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
});

test.each([
  ['/nowhere/agent', [], /ENOENT/],
  ['/', [], /EACCES/],
  ['/bin/sh', ['-c', 'kill -9 $$'], /it was ended by SIGKILL/],
  ['/bin/sh', ['a\0b'], /null bytes/],
])('%s %j gives no answer, and says why', async (program, args, why) => {
  await expect(ask(program, args, { cwd: '/', env: {}, timeoutMs: 60_000 })).rejects.toThrow(why);
});

test.each<[[string, ...string[]], boolean]>([
  [['/nowhere/pager'], false],
  [['/'], false],
  [['/bin/sh', '-c', 'exit 127'], false],
  [['/bin/sh', '-c', 'exit 126'], false],
  [['/bin/sh', '-c', 'exit 1'], true],
  [['/bin/sh', '-c', 'kill -9 $$'], true],
  [['/bin/sh', '-c', 'read first && [ "$first" = some ] && [ "$MARK" = x ] || exit 127'], true],
])('a text is given to %j: %j', async (program, run) => {
  // More than a pipe holds, so that those who do not read it are left by it.
  expect(await pipeToTerminal(program, `some\n${'text\n'.repeat(100_000)}`, { MARK: 'x' })).toBe(run);
});
