import { chownSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { installForAll } from '../helpers/install.ts';
import { eventually, runProgram } from '../helpers/project.ts';
import { createShellProject, hasEnded } from '../helpers/shell-project.ts';

/*
 * What an agent may try in order to outlive a kill, or to keep everybody busy.
 */

const NOBODY = 65_534;

testAsRoot('an agent that closes the directory of its turn is killed, and that is recorded', async () => {
  const project = createShellProject();
  const installed = installForAll(project.base, 'fixtures/shell-agent');
  for (const path of [project.base, project.directory, join(project.base, 'home')])
    chownSync(path, NOBODY, NOBODY);
  const env = {
    ...project.env,
    ZWARM_CODEX_BIN: join(installed, 'fixtures/shell-agent'),
    FAKE_AGENT_LOG: undefined,
  };
  const zwarm = (...args: string[]) =>
    runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), ...args], {
      cwd: project.directory,
      env,
      uid: NOBODY,
    });
  const closing =
    'run chmod 555 .zwarm/sessions/*/turns/1 && chmod 0 .zwarm/sessions/*/turns && exec sleep 1000';
  const id = (await zwarm('start', closing)).stdout.trim();
  await eventually('it has closed them', async () => (await zwarm('ls')).stdout.includes('damaged'));
  expect(await zwarm('kill', id)).toMatchObject({ code: 0, stdout: `${id} killed\n` });
  await eventually('nothing of it is left', () => project.marked(id).length === 0);
  const half = (
    await zwarm('start', 'run chmod 555 .zwarm/sessions/*/turns/1; echo yes > closed; exec sleep 1000')
  ).stdout;
  await project.written('closed');
  expect(await zwarm('kill', half.trim())).toMatchObject({ code: 0, stdout: `${half.trim()} killed\n` });
  const shown = JSON.parse((await zwarm('show', half.trim(), '--json')).stdout);
  expect(shown).toMatchObject({ status: 'killed', pid: null });
});

test('what an agent starts under a mark that is none ends with it', async () => {
  const project = createShellProject();
  const id = await project.begin('run ZWARM_MARK=x sh -c "echo \\$\\$ > pid; exec sleep 1000"');
  const pid = Number(await project.written('pid'));
  await eventually('it bears that mark', () =>
    readFileSync(`/proc/${pid}/environ`, 'utf8').includes('ZWARM_MARK=x\0'),
  );
  expect(await project.run(['kill', id])).toMatchObject({ code: 0 });
  expect(hasEnded(pid)).toBe(true);
});
