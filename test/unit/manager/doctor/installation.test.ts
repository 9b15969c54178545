import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { installation } from '../../../../src/installation.ts';
import type { ManagerContext } from '../../../../src/manager/context.ts';
import { checkGit, checkServers } from '../../../../src/manager/doctor/installation.ts';
import { runningScripts } from '../../../../src/process/running-scripts.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { eventually } from '../../../helpers/project.ts';

const onLinux = test.runIf(process.platform === 'linux');

/** A process that Node runs with these words, and a time before it began (ms, monotonic). */
async function running(...words: string[]) {
  const before = performance.now();
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return { pid: child.pid ?? 0, before };
}

function createScript(): string {
  const script = join(emptyDirectory(), 'zwarm.js');
  writeFileSync(script, 'setInterval(() => undefined, 1e6);');
  return script;
}

/** Of the clock of the kernel by which it says when a process began. */
const TICK_MS = 20;

onLinux('a script that runs is found by its first argument, with its age', async () => {
  const script = createScript();
  const found = await running(script, 'mcp', 'more');
  await running(script, 'other', 'mcp');
  await running(script);
  await running(script.replace('zwarm.js', './zwarm.js'), 'mcp');
  const list = await eventually('it runs', () => {
    const now = runningScripts(script, 'mcp');
    return now?.length === 1 ? now : null;
  });
  const at = performance.now();
  expect(list).toEqual([{ pid: found.pid, ageMs: expect.any(Number) }]);
  const age = list[0]?.ageMs ?? 0;
  expect(age).toBeLessThanOrEqual(at - found.before + TICK_MS);
  expect(age).toBeGreaterThanOrEqual(-TICK_MS);
  await eventually('it grows older', () => (runningScripts(script, 'mcp')?.[0]?.ageMs ?? 0) >= age + 50);
  // Whatever is first is the program.
  expect(runningScripts(process.execPath, script)).toEqual([]);
});

onLinux('a server of the tools that is older than the installation is warned about', async () => {
  const cli = createScript();
  const paths = { ...installation().paths, cli };
  const HOUR_MS = 3_600_000;
  /** What is found where the script was put there so long ago. */
  const checkAfter = (ms: number) => checkServers({ paths, now: () => Date.now() + ms } as ManagerContext);
  const well = (count: number) => ({
    status: 'ok',
    message: count === 0 ? 'no zwarm mcp runs' : `${count} of zwarm mcp, all of this version`,
  });
  expect(checkAfter(-HOUR_MS)).toMatchObject(well(0));
  const { pid } = await running(cli, 'mcp');
  await eventually('it runs', () => runningScripts(cli, 'mcp')?.length === 1);
  expect(checkAfter(HOUR_MS)).toMatchObject(well(1));
  expect(checkAfter(-HOUR_MS)).toMatchObject({
    status: 'warning',
    message: `zwarm mcp runs since before this version was installed (pid ${pid})`,
    hint: 'restart the program that started it: Codex, Claude Code, an editor',
  });
});

test.each([
  ['echo git version 9.8.7-rc1', 'ok', /^9\.8\.7-rc1, \/.*\/git$/],
  ['echo 2.1 broken >&2; echo later >&2; exit 1', 'warning', /\/git does not work: 2\.1 broken$/],
  ['echo git version 2.1; exit 3', 'warning', /\/git does not work: git version 2\.1$/],
  ['exit 3', 'warning', /\/git does not work: exit code 3$/],
  ['echo none', 'warning', /\/git does not work: none$/],
])('a git that does %j is %s', async (script, status, message) => {
  const directory = emptyDirectory();
  writeFileSync(join(directory, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const context = { ...installation(), cwd: directory, env: { PATH: directory }, uid: 0, stateDir: null };
  expect(await checkGit(context, 60_000)).toMatchObject({ status, message: expect.stringMatching(message) });
});

test('without git agents lack it', async () => {
  const directory = emptyDirectory();
  const context = { ...installation(), cwd: directory, env: { PATH: directory }, uid: 0, stateDir: null };
  expect(await checkGit(context, 60_000)).toMatchObject({
    status: 'warning',
    message: 'git was not found on your PATH',
  });
});
