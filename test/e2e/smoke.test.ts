import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, repositoryFile, runProgram } from '../helpers/project.ts';

test('a session is started, waited for, continued, shown, listed and removed', async () => {
  const project = createProject();
  const id = await project.start(['say hello']);
  expect(await project.ok(['wait', id])).toBe(`${id} completed`);
  expect(await project.ok(['inject', id, '--wait', 'again'])).not.toBe('');
  const detail = await project.show(id);
  expect(detail.turns.map((turn) => turn.status)).toEqual(['completed', 'completed']);
  expect(project.runs().map((run) => run.stdin)).toEqual(['say hello', 'again']);
  expect((await project.list()).map((row) => row.id)).toEqual([id]);
  expect(await project.ok(['rm', id])).toBe(id);
  expect(await project.list()).toEqual([]);
});

test('an installation of which only a part is left says so', async () => {
  const { base } = createProject();
  for (const path of ['bin', 'package.json'])
    cpSync(repositoryFile(path), join(base, path), { recursive: true });
  const options = { cwd: base, env: {} };
  const bare = await runProgram(process.execPath, [join(base, 'bin/zwarm.js'), 'ls'], options);
  expect(bare).toMatchObject({ code: 1, stdout: '' });
  expect(bare.stderr).toMatch(/^zwarm: cannot load itself: .*dist\/parts\.js.*\nhint: install it again\n$/);
  const json = await runProgram(process.execPath, [join(base, 'bin/zwarm.js'), 'ls', '--json'], options);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'io', hint: 'install it again' } });
});
