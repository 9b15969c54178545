import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, ZWARM } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

test('--wait prints the answer to its own message, also when the next one has been sent', async () => {
  const project = createShellProject();
  const gate = join(project.base, 'gate');
  const id = 'answerturn';
  const asked = project.run(['start', '--wait', `gate ${gate}`], { newId: id });
  await eventually('the agent runs', () => project.runs().length === 1);
  writeFileSync(gate, '');
  // Synchronously: the one who waits, in this process, cannot look before the next turn is there.
  const inject = () =>
    spawnSync(process.execPath, [ZWARM, 'inject', id, 'exit 3'], {
      cwd: project.directory,
      env: project.env,
    });
  while (inject().status !== 0);
  expect(await asked).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(await project.run(['wait', id])).toMatchObject({ code: 1, stdout: `${id} failed\n` });
});
