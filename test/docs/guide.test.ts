import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPage } from '../helpers/document.ts';
import { createProject, repositoryFile, runProgram } from '../helpers/project.ts';

test('the program of the guide does what it says', async () => {
  const [, program = ''] = /```js\n(.*?)```/s.exec(readPage('docs/guide.md')) ?? [];
  const project = createProject();
  const modules = join(project.directory, 'node_modules');
  mkdirSync(modules);
  symlinkSync(repositoryFile('.'), join(modules, 'zwarm'));
  writeFileSync(join(project.directory, 'program.mjs'), program);
  const { directory: cwd, env } = project;
  const { code, stdout, stderr } = await runProgram(process.execPath, ['program.mjs'], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const said = stdout.replaceAll(' [[seconds=0]]', '').replaceAll(/^ {2}assistant: .*\n/gm, '');
  // The demo agent cannot fork a thread: its fork is told what was before.
  expect(said).toMatchInlineSnapshot(`
    "first completed
      user: Suggest a name
      user: And why that one?
    other completed
      user: Suggest a name
      user: Another one, please
    8 steps, the last one a message
    true
    user, assistant
    0 left
    "
  `);
});
