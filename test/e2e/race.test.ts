import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, eventually } from '../helpers/project.ts';

test('of eight injects at once exactly one wins, and its message is the one that runs', async () => {
  const project = createProject();
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', 'first']));
  const gate = join(project.base, 'gate');
  const messages = Array.from({ length: 8 }, (_, i) => `message ${i}`);
  const ends = await Promise.all(
    messages.map((message) => project.asProcess(['inject', id, message], { env: { FAKE_AGENT_GATE: gate } })),
  );
  const winners = messages.filter((_, i) => ends[i]?.code === 0);
  expect(winners).toHaveLength(1);
  for (const end of ends) if (end.code !== 0) expect(end).toMatchObject({ code: 4, stdout: '' });
  await eventually('it runs', () => project.runs().length === 2);
  expect(project.runs()[1]?.stdin).toBe(winners[0]);
  expect(readFileSync(project.turnFile(id, 2, 'prompt.md'), 'utf8')).toBe(winners[0]);
  expect(existsSync(project.turnFile(id, 3, 'request.json'))).toBe(false);
  expect((await project.show(id)).turns).toHaveLength(2);
});

test('starts at once in a fresh project all succeed, in one state directory', async () => {
  const project = createProject();
  const started = await Promise.all([1, 2, 3, 4].map((i) => project.asProcess(['start', `task ${i}`])));
  const ids = started.map(({ stdout }) => stdout.trim());
  expect((await project.list()).map((row) => row.id).sort()).toEqual(ids.sort());
  for (const id of ids) expect(await project.ok(['wait', id])).toBe(`${id} completed`);
  expect(
    project
      .runs()
      .map((run) => run.stdin)
      .sort(),
  ).toEqual(['task 1', 'task 2', 'task 3', 'task 4']);
});

test('rm and inject at once: one wins, and a list in between shows no damage', async () => {
  const project = createProject();
  for (let round = 0; round < 3; round += 1) {
    const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', 'first']));
    const before = project.runs().length;
    const [removed, injected, ...lists] = await Promise.all([
      project.asProcess(['rm', id]),
      // It goes on: a turn that has ended may be removed, and both would have won.
      project.asProcess(['inject', id, 'more'], { env: { FAKE_AGENT_HANG: '1' } }),
      ...[1, 2, 3].map(() => project.list()),
    ]);
    expect([removed.code, injected.code].filter((code) => code === 0)).toHaveLength(1);
    for (const code of [removed.code, injected.code]) expect([0, 3, 4]).toContain(code);
    for (const row of lists.flat()) expect(row.status).not.toBe('damaged');
    const ran = injected.code === 0 ? 1 : 0;
    await eventually('the agent of the winner runs', () => project.runs().length === before + ran);
    if (ran === 1) await project.ok(['kill', id]);
    expect(project.runs()).toHaveLength(before + ran);
  }
});
