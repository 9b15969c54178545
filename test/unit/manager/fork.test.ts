import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSessions } from '../../../src/index.ts';
import { place } from '../../helpers/config.ts';
import { createShellProject } from '../../helpers/shell-project.ts';

test('an orchestrator is forked only where the copy could start others, too', async () => {
  const { directory: cwd, env } = createShellProject();
  const sessions = openSessions({ cwd, env });
  const { id } = await sessions.start({ task: 'quick', orchestrates: true });
  await sessions.wait(id);
  const config = join(env['HOME'] ?? '', '.config', 'zwarm', 'config.toml');
  place(config, 'max_depth = 0\n');
  await expect(sessions.fork(id)).rejects.toMatchObject({
    code: 'not_allowed',
    message: 'it could start no other session: max_depth is 0',
  });
  expect(await sessions.list({ all: true })).toHaveLength(1);
  place(config, 'max_depth = 1\n');
  await sessions.fork(id);
  expect(await sessions.list({ all: true })).toHaveLength(2);
});
