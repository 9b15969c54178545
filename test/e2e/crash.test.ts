import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createProject, eventually, ZWARM } from '../helpers/project.ts';

test('a start that is killed at any moment leaves no second run, no half prompt, and nothing that runs for ever', async () => {
  const project = createProject();
  const task = (i: number): string => `task ${i} ${'x'.repeat(100_000)} end`;
  // A whole start on this machine, so that the kills fall into every part of it.
  const began = performance.now();
  await project.asProcess(['start', '-'], { input: task(99) });
  const whole = performance.now() - began;
  for (let i = 0; i < 12; i += 1) {
    const child = spawn(process.execPath, [ZWARM, 'start', '-'], {
      cwd: project.directory,
      env: project.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin.on('error', () => undefined);
    child.stdin.end(task(i));
    await sleep((whole * i) / 9);
    child.kill('SIGKILL');
    await ended;
  }
  const rows = await eventually('every session is final', async () => {
    const all = await project.list(['--all']);
    return all.every((row) => ['completed', 'lost'].includes(row.status)) && all;
  });
  const runs = project.runs().map((run) => run.stdin);
  // A task ran at most once, whole, and only if its session is listed.
  expect(new Set(runs).size).toBe(runs.length);
  const prompts = rows.map((row) => readFileSync(project.turnFile(row.id, 1, 'prompt.md'), 'utf8'));
  for (const prompt of [...runs, ...prompts]) expect(prompt).toMatch(/^task \d+ x{100000} end$/);
  for (const run of runs) expect(prompts).toContain(run);
  const completed = rows.filter((row) => row.status === 'completed');
  expect(completed).toHaveLength(runs.length);
  // A launch that died can be continued only by a new message, which nothing sends by itself.
  for (const row of rows) expect(readdirSync(project.turnFile(row.id, 1, '..'))).toEqual(['1']);
});
