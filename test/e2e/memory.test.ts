import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createProject, eventually, processesWith } from '../helpers/project.ts';

/** kB of a process that it shares with nobody. */
function privateKb(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kb = (field: string): number => Number(new RegExp(`^${field}: +(\\d+) kB$`, 'm').exec(rollup)?.[1]);
  return kb('Private_Clean') + kb('Private_Dirty');
}

test('a running session costs one shell of less than 0.3 MB besides its agent', async () => {
  const project = createProject();
  const ids = await Promise.all(
    [1, 2, 3].map((i) => project.start([`task ${i}`], { env: { FAKE_AGENT_HANG: '1' } })),
  );
  await eventually('the agents run', () => project.runs().length === 3);
  const agents = project.runs().map((run) => run.pid);
  for (const { id, pid } of await project.list()) {
    expect(ids).toContain(id);
    const ours = processesWith(`ZWARM_SESSION_ID=${id}`).filter((found) => !agents.includes(found));
    expect(ours).toEqual([pid]);
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]).toBe('/bin/sh');
    expect(privateKb(pid ?? 0)).toBeLessThan(300);
  }
  // Nothing else of ours is left in the project: no daemon, no waiting launcher.
  expect(processesWith(`HOME=${project.env['HOME']}`)).toHaveLength(6);
});
