import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../src/store/project-store.ts';
import { createProject, runProgram, ZWARM } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

test('the eight verbs work from a subdirectory of a path with spaces and other letters', async () => {
  const project = createProject("mein Projekt, l'été 日本 🎉 $(touch pwn)");
  const cwd = join(project.directory, 'src', "it's deep");
  mkdirSync(cwd, { recursive: true });
  const above = await project.ok(['start', '--wait', '--json', 'above']);
  const id = await project.start(['below', '--name', 'below'], { cwd });

  expect(await project.ok(['wait', 'below'], { cwd })).toBe(`${id} completed`);
  await project.ok(['inject', id, '--wait', 'again'], { cwd });
  const shown = JSON.parse(await project.ok(['show', id.slice(0, 6), '--json'], { cwd }));
  expect(shown).toMatchObject({ id, status: 'completed', turn: 2, working_dir: cwd });
  expect(project.runs().map((run) => run.cwd)).toEqual([project.directory, cwd, cwd]);
  expect(await project.ok(['ls', '-q'], { cwd })).toBe(`${id}\n${JSON.parse(above).id}`);
  expect(await project.ok(['ls', '-q', '--here'], { cwd })).toBe(id);

  const hanging = await project.start(['hang'], { cwd, env: { FAKE_AGENT_HANG: '1' } });
  expect(await project.ok(['kill', '@last', '--grace', '10s'], { cwd })).toBe(`${hanging} killed`);
  expect(await project.ok(['rm', hanging], { cwd })).toBe(hanging);
  expect((await project.ok(['clean', '--days', '0'], { cwd })).split('\n')).toHaveLength(2);
  expect(await project.list()).toEqual([]);
  // Nothing was made where it was called.
  expect(Object.keys(snapshot(join(project.directory, 'src')))).toEqual([
    join(project.directory, 'src'),
    cwd,
  ]);
});

test('-C says where the agent works, not where its session is kept', async () => {
  const project = createProject();
  const elsewhere = join(project.base, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(project.base, 'link'));
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', '-C', '../link', 'x']));
  expect(project.runs()).toMatchObject([{ cwd: realpathSync(elsewhere) }]);
  await project.ok(['inject', id, '--wait', 'again']);
  expect(project.runs().map((run) => run.cwd)).toEqual([elsewhere, elsewhere]);
  expect(Object.keys(snapshot(elsewhere))).toEqual([elsewhere]);
});

test('an empty .git directory, as some sandboxes leave it behind, is no checkout', async () => {
  const project = createProject();
  const inner = join(project.directory, 'inner');
  mkdirSync(join(project.directory, '.git'));
  mkdirSync(inner);
  await project.ok(['start', '--wait', 'x'], { cwd: inner });
  expect(existsSync(storeDir(project.state, inner))).toBe(true);
  expect(existsSync(project.store())).toBe(false);
});

test('in a directory that was deleted nothing is started, least of all somewhere else', async () => {
  const project = createProject();
  const script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"';
  const temporary = join(project.base, 'tmp');
  const env = { ...project.env, ZWARM_DIR: join(project.base, 'state'), TMPDIR: temporary };
  const zwarm = (...args: string[]) =>
    runProgram('/bin/sh', ['-c', script, 'sh', process.execPath, ZWARM, ...args], {
      cwd: project.directory,
      env,
    });
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

test('without a home nobody knows where sessions are, but for a state directory that is named', async () => {
  const project = createProject();
  const env = { HOME: undefined, XDG_STATE_HOME: undefined };
  for (const argv of [['start', 'x'], ['ls']])
    expect(await project.zwarm(argv, { env })).toMatchObject({ code: 2, stdout: '' });
  const id = await project.start(['x']);
  await project.ok(['wait', id]);
  const named = { ...env, ZWARM_DIR: project.state };
  expect(await project.ok(['ls', '-q'], { env: named })).toBe(id);
  expect(await project.ok(['show', id], { env: named })).toContain('completed');
});
