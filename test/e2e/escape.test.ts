import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/project.ts';
import { createShellProject, hasEnded } from '../helpers/shell-project.ts';

/*
 * What an agent may try in order to outlive a kill, or to keep everybody busy.
 */

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
