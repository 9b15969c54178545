import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject, eventually, processesBelow } from '../helpers/project.ts';
import { managerOf } from '../helpers/tools-in-process.ts';
import { snapshot } from '../helpers/tree.ts';

/** A project with a session, and an empty directory beside it. */
async function createPlaces() {
  const project = createShellProject();
  const [there, empty] = [join(project.base, 'there'), join(project.base, 'empty')];
  fs.mkdirSync(empty);
  const id = await project.ended();
  return { project, id, there, empty, move: () => fs.renameSync(project.directory, there) };
}

test('relocate says why there is nothing to do, and changes nothing', async () => {
  const { project, empty, id } = await createPlaces();
  const { directory } = project;
  const before = snapshot(project.state);
  for (const [cwd, line, refused] of [
    [directory, '', 'zwarm: the sessions of this project are here already\nhint: see: zwarm ls\n[exit 2]'],
    [
      directory,
      ` --to ${empty}`,
      `zwarm: the project of these sessions is still at ${directory}\nhint: move it first\n[exit 2]`,
    ],
    [
      empty,
      '',
      'zwarm: no sessions are known that this project had elsewhere\nhint: see where sessions are kept: zwarm ls --everywhere\n[exit 3]',
    ],
    [
      empty,
      ` --to ${directory}`,
      `zwarm: no sessions are kept for ${empty}\nhint: see: zwarm ls --everywhere\n[exit 3]`,
    ],
  ] as const)
    expect(await project.$(`relocate --yes${line}`, { cwd })).toBe(`${refused}\n`);
  expect(await project.$('relocate --yes', { env: { ZWARM_SESSION_ID: id } })).toContain('[exit 5]');
  expect(snapshot(project.state)).toEqual(before);
});

test('relocate asks first, tells a person what belongs where, and a script the same as JSON', async () => {
  const { project, there, move } = await createPlaces();
  const { directory } = project;
  move();
  const asked = (answer: boolean, ...more: string[]) =>
    project.zwarm(['relocate', ...more], { cwd: there, tty: true, answer });
  const before = snapshot(project.state);
  const no = await asked(false);
  expect(no).toMatchObject({ code: 1, stdout: '' });
  expect(no.stderr).toContain(`Give 1 session of ${directory} to ${there}?`);
  expect(snapshot(project.state)).toEqual(before);
  const yes = await asked(true);
  expect(yes).toMatchObject({ code: 0, stdout: `${there}\n` });
  expect(yes.stderr).toContain(`1 session of ${directory} now belong to it`);
  fs.renameSync(there, directory);
  const json = JSON.parse(await project.ok(['relocate', '--yes', '--json']));
  expect(json).toEqual({ from: there, to: directory, sessions: 1 });
});

test('a place that was given sessions after relocate had looked keeps them, as does the old one', async () => {
  const { project, id, there, move } = await createPlaces();
  move();
  fs.mkdirSync(project.directory);
  const manager = managerOf({ directory: there, env: project.env }, null);
  const plan = await manager.planRelocation(null);
  const other = await project.ok(['start', '--wait', '--json', 'quick'], { cwd: there });
  await eventually('its runner has ended', () => processesBelow(project.base).length === 0);
  const before = snapshot(project.state);
  await expect(manager.relocate(plan)).rejects.toMatchObject({
    code: 'lost_race',
    message: `${there} was given sessions by another command`,
  });
  expect(snapshot(project.state)).toEqual(before);
  const ids = async (cwd: string) => (await project.$('ls -q', { cwd })).trim();
  expect(await ids(there)).toBe(JSON.parse(other).id);
  expect(await ids(project.directory)).toBe('');
  expect(Object.keys(before).some((path) => path.endsWith(`/${id}/session.json`))).toBe(true);
});
