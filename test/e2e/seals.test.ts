import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject, type Project } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

const record = (project: Project, id: string): string =>
  join(project.directory, '.zwarm', 'sessions', id, 'session.json');

function edit(project: Project, id: string, change: object): void {
  const path = record(project, id);
  writeFileSync(path, `${JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change })}\n`);
}

const seals = (project: Project): string => join(project.base, 'home', '.local', 'state', 'zwarm', 'seals');

const TAMPERED: readonly [name: string, tamper: (project: Project, id: string) => void][] = [
  ['a wider sandbox', (project, id) => edit(project, id, { sandbox: 'danger-full-access' })],
  ['another directory', (project, id) => edit(project, id, { working_dir: '/' })],
  ['another agent', (project, id) => edit(project, id, { agent: 'demo' })],
  ['more arguments', (project, id) => edit(project, id, { agent_args: ['--dangerous'] })],
  [
    'a space more',
    (project, id) => writeFileSync(record(project, id), ` ${readFileSync(record(project, id), 'utf8')}`),
  ],
  ['no seals', (project) => rmSync(seals(project), { recursive: true })],
];

test.each(TAMPERED)('with %s the next inject is refused, and nothing runs', async (_, tamper) => {
  const project = createProject();
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', '-s', 'read-only', 'x']));
  await project.settled(id);
  tamper(project, id);
  const before = snapshot(project.base);
  const refused = await project.zwarm(['inject', id, '--json', 'more']);
  expect(refused).toMatchObject({ code: 5, stdout: '' });
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    code: 'seal_broken',
    message: expect.stringMatching(/nothing was run/),
    hint: expect.stringMatching(/zwarm config trust/),
  });
  expect(project.runs()).toHaveLength(1);
  expect(snapshot(project.base)).toEqual(before);
  // It can still be looked at and removed.
  expect((await project.zwarm(['show', id])).code).toBe(0);
  expect(await project.ok(['rm', id])).toBe(id);
});

test('every turn gets the sandbox and the directory that the session was started with', async () => {
  const project = createProject();
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', '-s', 'read-only', 'x']));
  await project.ok(['inject', id, '--wait', 'more']);
  for (const { argv } of project.runs()) {
    expect(argv[argv.indexOf('-s') + 1]).toBe('read-only');
    expect(argv[argv.indexOf('-C') + 1]).toBe(project.directory);
  }
});

test('a link in the place of the directory, or above it, moves no sandbox', async () => {
  const project = createProject();
  const inner = join(project.directory, 'above', 'inner');
  mkdirSync(inner, { recursive: true });
  mkdirSync(join(project.base, 'elsewhere', 'inner'), { recursive: true });
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', '-C', inner, 'x']));
  for (const part of [inner, join(project.directory, 'above')]) {
    renameSync(part, `${part}.moved`);
    symlinkSync(join(project.base, 'elsewhere'), part);
    const refused = await onScreen(project, ['inject', id, 'more']);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toMatch(/now leads to .*elsewhere.*: nothing was run\nhint: /);
    rmSync(part);
    renameSync(`${part}.moved`, part);
  }
  expect(project.runs()).toHaveLength(1);
  expect((await onScreen(project, ['inject', id, '--wait', 'more'])).code).toBe(0);
});
