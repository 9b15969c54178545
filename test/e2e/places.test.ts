import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject, runProgram, ZWARM } from '../helpers/project.ts';

test('the eight verbs work from a subdirectory of a path with spaces and other letters', async () => {
  const project = createShellProject("mein Projekt, l'été 日本 🎉 $(touch pwn)");
  const cwd = join(project.directory, 'src', "it's deep");
  mkdirSync(cwd, { recursive: true });
  const above = await project.ended();
  const $ = (line: string) => project.$(line, { cwd });
  const id = (await $('start below --name below')).trim();
  expect(await $('wait below')).toBe(`${id} completed\n`);
  expect(await $(`inject ${id} --wait again`)).toBe('done\n');
  const detail = { id, status: 'completed', turn: 2, working_dir: cwd };
  expect(await project.show(id.slice(0, 6))).toMatchObject(detail);
  expect(project.runs().map((run) => run.cwd)).toEqual([project.directory, cwd, cwd]);
  expect(await $('ls -q')).toBe(`${id}\n${above}\n`);
  expect(await $('ls -q --here')).toBe(`${id}\n`);
  const hanging = (await $('start hang')).trim();
  expect(await $('kill @last --grace 10s')).toBe(`${hanging} killed\n`);
  expect(await $(`rm ${hanging}`)).toBe(`${hanging}\n`);
  expect((await project.ok(['clean', '--days', '0'], { cwd })).split('\n')).toHaveLength(2);
  expect(await project.list()).toEqual([]);
  // Nothing was made where it was called.
  expect(readdirSync(join(project.directory, 'src'), { recursive: true })).toEqual(["it's deep"]);
});

test('-C says where the agent works, not where its session is kept', async () => {
  const project = createShellProject();
  const elsewhere = join(project.base, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(project.base, 'link'));
  await project.ok(['inject', await project.ended(['-C', '../link', 'x']), '--wait', 'again']);
  expect(project.runs().map((run) => run.cwd)).toEqual([elsewhere, elsewhere]);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('in a directory that was deleted nothing is started, least of all somewhere else', async () => {
  const project = createShellProject();
  const script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"';
  const temporary = join(project.base, 'tmp');
  const env = { ...project.env, ZWARM_DIR: join(project.base, 'state'), TMPDIR: temporary };
  const place = { cwd: project.directory, env };
  const zwarm = (...args: string[]) =>
    runProgram('/bin/sh', ['-c', script, 'sh', process.execPath, ZWARM, ...args], place);
  expect(await zwarm('start', 'x')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'zwarm: the current directory was deleted\nhint: change to one that exists\n',
  });
  expect(await zwarm('demo')).toMatchObject({ code: 1, stdout: '' });
  expect(readdirSync(temporary)).toEqual([]);
  expect(await zwarm('--version')).toMatchObject({ code: 0 });
  expect(project.runs()).toEqual([]);
});
