import { mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withZwarmOnPath } from '../../helpers/on-path.ts';
import { createShellProject, runProgram } from '../../helpers/project.ts';
import { createRepository } from '../../helpers/repository.ts';

test('path prints where a session works, for a shell', async () => {
  const project = createRepository({ 'sub/a': '' }, 'mein projekt');
  withZwarmOnPath(project);
  const { base, directory } = project;
  await project.ok(['start', '-W', '--name', 'n', '-C', 'sub', '--wait', 'quick']);
  const path = join(base, 'mein projekt.worktrees/n/sub');
  const shell = await runProgram('/bin/sh', ['-c', 'cd "$(zwarm path n)" && pwd'], {
    cwd: directory,
    env: project.env,
  });
  expect(shell.stdout).toBe(`${path}\n`);
  const { id } = await project.show('n');
  expect(JSON.parse(await project.ok(['path', 'n', '--json']))).toEqual({ id, path });
  // Without a tree it is the directory of the project.
  const plain = await project.ended(['quick']);
  expect(await project.$(`path ${plain}`)).toBe(`${directory}\n`);
});

test('a directory that is gone, or leads elsewhere now, is not printed, and nothing runs there', async () => {
  const project = createShellProject();
  const place = join(project.directory, 'place');
  mkdirSync(place);
  const id = await project.ended(['-C', 'place', 'quick']);
  renameSync(place, `${place}.away`);
  expect(await project.$(`path ${id}`)).toMatch(/is gone or cannot be read: .*\n.*\n\[exit 4\]\n$/);
  symlinkSync(project.base, place);
  expect(await project.$(`path ${id}`)).toMatch(/now leads to .*\[exit 5\]\n$/s);
  const ran = await project.asProcess(['exec', id, '--', 'touch', 'ran']);
  expect([ran.code, ran.stdout]).toEqual([5, '']);
});

test('exec runs a command there, with what keeps trees apart; the exit code is its own', async () => {
  const project = createRepository();
  await project.ok(['start', '-W', '--name', 'n', '--wait', 'quick']);
  const path = join(project.base, 'project.worktrees/n');
  const exec = (...command: string[]) =>
    project.asProcess(['exec', 'n', '--', ...command], { input: 'in\n' });
  const script = 'pwd; cat; echo "$ZWARM_PORT_BASE $COMPOSE_PROJECT_NAME $ZWARM_SESSION_ID"; exit 7';
  expect(await exec('sh', '-c', script)).toEqual({
    ...{ code: 7, signal: null, stderr: '' },
    stdout: `${path}\nin\n20000 project-n \n`,
  });
  expect((await exec('git', 'status', '--porcelain')).code).toBe(0);
  expect(await exec('no-such-program')).toMatchObject({
    code: 127,
    stderr: 'zwarm: no-such-program was not found\n',
  });
  expect(await exec('./a.txt')).toMatchObject({ code: 126 });
  expect(await exec('sh', '-c', 'kill -9 $$')).toMatchObject({ code: 1 });
  expect((await project.asProcess(['exec', 'n'])).code).toBe(2);
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\n');
});
