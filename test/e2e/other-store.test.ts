import { cpSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createShellProject, type ShellProject } from '../helpers/shell-project.ts';

/** Attack B4: what was copied from one project into another names agents that the other project never started. */
const COPIES: readonly (readonly [what: string, copy: (project: ShellProject, id: string) => string])[] = [
  [
    'a copy of the project',
    ({ base, directory }) => {
      cpSync(directory, join(base, 'copy'), { recursive: true, preserveTimestamps: true });
      return join(base, 'copy');
    },
  ],
  [
    'a project into which the session was planted',
    ({ base, directory }, id) => {
      const other = join(base, 'other');
      mkdirSync(join(other, '.zwarm'), { recursive: true, mode: 0o700 });
      cpSync(join(directory, '.zwarm/sessions', id), join(other, '.zwarm/sessions', id), { recursive: true });
      return other;
    },
  ],
];

test.each(COPIES)('in %s nothing is done to the agent of the original', async (_, copy) => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const [agent] = project.runs();
  const elsewhere = { ...project, directory: copy(project, id) };
  const there = (args: readonly string[]) => onScreen(elsewhere, args);
  expect((await there(['kill', '--all'])).code).toBe(0);
  await there(['kill', id]);
  await there(['rm', '--force', id]);
  await there(['clean', '--days', '0']);
  expect(project.marked(id)).toContain(agent?.pid);
  expect(await project.show(id)).toMatchObject({ status: 'running', turn: 1 });
  // Where it was started it is known, and can be ended.
  expect(await project.run(['kill', id])).toMatchObject({ code: 0, stdout: `${id} killed\n` });
});

test('in a copy a session neither runs nor counts as running', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  cpSync(project.directory, join(project.base, 'copy'), { recursive: true, preserveTimestamps: true });
  const elsewhere = { ...project, directory: join(project.base, 'copy') };
  expect((await onScreen(elsewhere, ['ls'])).stdout).toMatch(new RegExp(`^${id}\tlost\t`));
  await project.run(['kill', id]);
});

test('a project that is moved while its agent runs is the same one', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const [agent] = project.runs();
  const moved = { ...project, directory: join(project.base, 'moved') };
  renameSync(project.directory, moved.directory);
  expect((await onScreen(moved, ['ls'])).stdout).toMatch(new RegExp(`^${id}\trunning\t`));
  expect(await onScreen(moved, ['kill', id])).toMatchObject({ code: 0, stdout: `${id} killed\n` });
  expect(project.marked(id)).not.toContain(agent?.pid);
  renameSync(moved.directory, project.directory);
});
