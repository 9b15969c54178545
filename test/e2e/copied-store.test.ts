import { cpSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject } from '../helpers/shell-project.ts';

test('when a session began and ended stays known when its files are copied or touched', async () => {
  const project = createShellProject();
  const id = await project.begin('quick');
  await project.settled(id);
  const before = await project.show(id);
  const copied = join(project.base, 'copied');
  cpSync(join(project.directory, '.zwarm'), copied, { recursive: true });
  for (const name of ['exit.json', 'runner.stat'])
    utimesSync(join(copied, 'sessions', id, 'turns', '1', name), 86_400, 86_400);
  const after = JSON.parse(await project.ok(['--state-dir', copied, 'show', id, '--json']));
  expect(after.duration_ms).toBe(before.duration_ms);
  for (const key of ['ended_at', 'updated_at'] as const) {
    const [was, is] = [Date.parse(before[key] ?? ''), Date.parse(after[key])];
    // What was recorded has whole seconds.
    expect(Math.abs(was - is), key).toBeLessThanOrEqual(1000);
  }
  expect(Date.parse(after.turns[0].started_at)).toBeGreaterThan(Date.parse(before.created_at ?? '') - 1000);
  expect(await project.ok(['--state-dir', copied, 'clean', '--days', '1', '--dry-run'])).toBe('');
});
