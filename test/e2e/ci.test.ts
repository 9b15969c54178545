import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import { readPage } from '../helpers/document.ts';
import { withZwarmOnPath } from '../helpers/on-path.ts';
import { createShellProject, eventually, runProgram, watchesFiles, ZWARM } from '../helpers/project.ts';

/** The script of the guide for a CI system. */
const [, SCRIPT = ''] = /## In CI\n.*?```sh\n(.*?)```/s.exec(readPage('docs/guide.md')) ?? [];

/** A job of three agents with these tasks, which can be run more than once. */
function createJob(tasks: Readonly<Record<'lint' | 'tests' | 'docs', string>>) {
  const project = createShellProject();
  withZwarmOnPath(project);
  const { base, directory, env } = project;
  for (const [name, task] of Object.entries(tasks)) place(join(directory, `ci/${name}.md`), task);
  const page = join(base, 'page.md');
  const job = { ...env, GITHUB_RUN_ID: '4711', GITHUB_STEP_SUMMARY: page };
  return {
    ...project,
    runJob: () => runProgram('/bin/sh', ['-c', SCRIPT], { cwd: directory, env: job }),
    page: () =>
      readFileSync(page, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('| ci-')),
    answers: () =>
      readdirSync(join(directory, 'answers')).map((name) => [
        name,
        readFileSync(join(directory, 'answers', name), 'utf8'),
      ]),
  };
}

test('the script of the guide has ten lines, and leaves the answers of three agents', async () => {
  const job = createJob({ lint: 'quick', tests: 'quick', docs: 'quick' });
  expect(SCRIPT.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  expect(await job.runJob()).toMatchObject({ code: 0 });
  expect(job.answers()).toEqual([
    ['docs.md', 'done\n'],
    ['lint.md', 'done\n'],
    ['tests.md', 'done\n'],
  ]);
  expect(
    job
      .page()
      .map((row) => row.split('|').slice(1, 3).join('|').trim())
      .sort(),
  ).toEqual(['ci-4711-docs | completed', 'ci-4711-lint | completed', 'ci-4711-tests | completed']);
  // A job that is run again waits for the same agents.
  expect(await job.runJob()).toMatchObject({ code: 0 });
  expect(job.runs()).toHaveLength(3);
});

test('it fails when one of them fails, and stops the others', async () => {
  const job = createJob({ lint: 'break', tests: 'hang', docs: 'quick' });
  expect(await job.runJob()).toMatchObject({ code: 1 });
  const statuses = (await job.list()).map(({ name, status }) => [name, status]);
  expect(Object.fromEntries(statuses)).toMatchObject({ 'ci-4711-lint': 'failed', 'ci-4711-tests': 'killed' });
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
] as const)('%s ends a waiting with --kill-on-exit, which kills the agents first', async (signal, code) => {
  const { directory, env, begin, show } = createShellProject();
  const id = await begin('hang');
  const waiting = spawn(process.execPath, [ZWARM, 'wait', '--kill-on-exit', id], { cwd: directory, env });
  const said: string[] = [];
  waiting.stderr.on('data', (text) => said.push(String(text)));
  const ended = once(waiting, 'close');
  await eventually('it waits', () => watchesFiles(waiting.pid ?? 0));
  waiting.kill(signal);
  expect(await ended).toEqual([code, null]);
  expect(said.join('')).toBe(`zwarm: ${id} killed\n`);
  expect(await show(id)).toMatchObject({ status: 'killed' });
});
