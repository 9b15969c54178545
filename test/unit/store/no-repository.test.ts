import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject } from '../../helpers/project.ts';

test('an empty .git above, as an agent’s sandbox leaves it, draws no sessions there', async () => {
  const project = createProject();
  rmSync(join(project.base, '.git'));
  mkdirSync(join(project.base, '.git'));
  await project.ok(['start', '--agent-arg=--skip-git-repo-check', 'here', '--wait']);
  expect(existsSync(join(project.base, '.zwarm'))).toBe(false);
  expect(existsSync(join(project.directory, '.zwarm'))).toBe(true);
  expect(existsSync(project.store())).toBe(true);
});
