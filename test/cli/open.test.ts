import { expect, test } from 'vitest';
import { createProject, withoutConfiner } from '../helpers/project.ts';

test('open is for a person at a terminal, and for a session at rest whose thread the agent has', async () => {
  const project = createProject();
  const { zwarm, $, env } = project;
  withoutConfiner(project);
  const id = await project.ended();
  expect(await zwarm(['open', id])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`from a script: zwarm inject ${id} "…"`),
  });
  const open = (ref: string) => zwarm(['open', ref], { tty: true });
  expect(await open(id)).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/cannot be opened: codex has no session file of the thread/),
  });
  await $(`rewind ${id} --to 0`);
  expect(await open(id)).toMatchObject({ code: 4, stderr: expect.stringContaining('cannot be opened') });
  const demo = await project.ended(['-a', 'demo', 'x [[seconds=0]]']);
  expect(await open(demo)).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/what is said in demo itself could not be read afterwards/),
  });
  Object.assign(env, { ZWARM_SESSION_ID: 'abcdefghjk' });
  expect(await open(id)).toMatchObject({ code: 5 });
});
