import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject } from '../helpers/shell-project.ts';

test('whoever starts an agent below one that may write above it is warned', async () => {
  const project = createShellProject();
  mkdirSync(join(project.directory, 'sub'));
  const below = ['start', '-q', '--wait', '-C', 'sub', 'quick'];
  const reader = await project.ok(['start', '-q', '-s', 'read-only', 'hang']);
  expect(await project.run(below)).toMatchObject({ code: 0, stderr: '' });
  await project.ok(['kill', reader]);
  const writer = await project.ok(['start', '-q', 'hang']);
  expect(await project.run(below)).toMatchObject({
    code: 0,
    stderr: `zwarm: warning: the agent of ${writer} works above ${project.directory}/sub and can put a link to another directory in its place\n`,
  });
  // Beside it there is nothing to exchange.
  expect(await project.run(['start', '-q', '--wait', 'quick'])).toMatchObject({ code: 0, stderr: '' });
  await project.ok(['kill', writer]);
  expect(await project.run(below)).toMatchObject({ code: 0, stderr: '' });
});
