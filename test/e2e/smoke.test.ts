import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, repositoryFile, runProgram } from '../helpers/project.ts';

test('a session is started, waited for, continued, shown, listed and removed', async () => {
  const project = createProject();
  let id = '';
  // As a user types it: with what is built.
  const transcript: string[] = [];
  const type = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.asProcess(args);
    id ||= stdout.trim();
    const ended = code === 0 ? '' : `[exit ${code}]\n`;
    transcript.push(`$ zwarm ${args.join(' ')}\n${stdout}${stderr}${ended}`.replaceAll(id, 'ID'));
    return stdout;
  };
  await type('start', 'say hello');
  await type('wait', id);
  await type('inject', id, '--wait', 'again');
  const { turns } = JSON.parse(await project.ok(['show', id, '--json']));
  expect(turns.map(({ status }: { status: string }) => status)).toEqual(['completed', 'completed']);
  expect(project.runs().map((run) => run.stdin)).toEqual(['say hello', 'again']);
  await type('ls', '-q');
  await type('logs', id, '-n', '1');
  await type('rm', id);
  await type('show', id);
  await type('ls');
  expect(transcript.join('')).toMatchInlineSnapshot(`
    "$ zwarm start say hello
    ID
    $ zwarm wait ID
    ID completed
    $ zwarm inject ID --wait again
    The project prints two lines.
    $ zwarm ls -q
    ID
    $ zwarm logs ID -n 1
    ── turn 2 ──────────────────────────────────────────────────────────────────────
      The project prints two lines.
    $ zwarm rm ID
    ID
    $ zwarm show ID
    zwarm: no session ID
    hint: see: zwarm ls --all
    [exit 3]
    $ zwarm ls
    "
  `);
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
