import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject } from '../helpers/project.ts';

test('--timeout ends a waiting although memory is collected meanwhile', async () => {
  const project = createProject();
  const id = await project.start(['-a', 'demo', 'x [[hang]]']);
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc'), 20);
  onTestFinished(() => clearInterval(collecting));
  expect(await onScreen(project, ['wait', id, '--timeout', '2s'])).toMatchObject({ code: 124, stdout: '' });
});

test.each(['30d', '9999d'])('--timeout %s waits, though no timer of Node is that long', async (time) => {
  const project = createProject();
  const gate = join(project.base, 'gate');
  const id = await project.start(['x'], { env: { FAKE_AGENT_GATE: gate } });
  const waiting = onScreen(project, ['wait', id, '--timeout', time]);
  expect(await project.list(['--status', 'running'])).toHaveLength(1);
  writeFileSync(gate, '');
  expect(await waiting).toEqual({ code: 0, stdout: `${id} completed\n`, stderr: '' });
});
