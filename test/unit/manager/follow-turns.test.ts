import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SessionManager } from '../../../src/manager/session-manager.ts';
import { createShellProject } from '../../helpers/project.ts';
import { addSession, ID, storeOf } from '../../helpers/store.ts';
import { managerOf } from '../../helpers/tools-in-process.ts';

async function printed(manager: SessionManager, id: typeof ID, turn?: number): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of manager.followOutput(id, 'events', { turn }))
    pieces.push(Buffer.from(piece).toString());
  return pieces.join('');
}

test('what is written into a stream after the end of its turn was not printed by the agent', async () => {
  const project = createShellProject();
  const manager = managerOf(project, null);
  const { id } = await manager.start({ task: 'quick' });
  await manager.wait(id);
  const before = await printed(manager, id);
  expect(before).toContain('turn.completed');
  appendFileSync(project.turnFile(id, 1, 'events.jsonl'), '{"type":"late"}\n');
  expect(await printed(manager, id)).toBe(before);
  await expect(printed(manager, id, 2)).rejects.toMatchObject({
    code: 'usage',
    message: `${id} has no turn 2`,
  });
});

test('it ends as soon as its reader wants no more', async () => {
  const manager = managerOf(createShellProject(), null);
  const said = `echo '{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"one"}}'`;
  const { id } = await manager.start({ task: `run ${said}` });
  await manager.wait(id);
  const enough = new AbortController();
  let steps = 0;
  for await (const _ of manager.followSteps(id, { signal: enough.signal })) {
    steps += 1;
    enough.abort();
  }
  expect(steps).toBe(1);
});

test('of a turn that ended before the time from which on steps are wanted none is told, and no later turn is followed', async () => {
  const manager = managerOf(createShellProject(), null);
  const { id } = await manager.start({ task: 'quick' });
  await manager.wait(id);
  await manager.inject(id, 'hang');
  const wanted = { turn: 1, sinceMs: Date.now() + 60_000, unnumbered: true, follow: true };
  for await (const step of manager.followSteps(id, wanted)) expect(step).toBeUndefined();
  await manager.kill(id);
});

test('a turn that is about to run has printed nothing', async () => {
  const project = createShellProject();
  addSession(storeOf(project.state, project.directory), ID, { record: { working_dir: project.directory } });
  expect(await printed(managerOf(project, null), ID)).toBe('');
});

test('one turn alone is followed where one is asked for, its steps numbered as in all; stderr is read to its end', async () => {
  const manager = managerOf(createShellProject(), null);
  const { id } = await manager.start({ task: 'run head -c 3000 /dev/zero | tr "\\0" e >&2' });
  await manager.wait(id);
  await manager.inject(id, 'break');
  await manager.wait(id);
  const [first, second] = [await printed(manager, id, 1), await printed(manager, id, 2)];
  expect(first).toContain('done');
  expect(second).toContain('it broke');
  expect(await printed(manager, id)).toBe(first + second);
  let errors = 0;
  for await (const piece of manager.followOutput(id, 'stderr', { turn: 1 })) errors += piece.length;
  expect(errors).toBe(3000);
  const all = await manager.steps(id);
  expect(new Set(all.map(({ turn }) => turn)).size).toBe(2);
  for (const turn of [1, 2]) {
    const steps = [];
    for await (const step of manager.followSteps(id, { turn })) steps.push(step);
    expect(steps).toEqual(all.filter((step) => step.turn === turn));
  }
});
