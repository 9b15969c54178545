import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject, createShellProject, eventually } from '../helpers/project.ts';

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

test('a verb that starts a turn says how it ended, or that it started', async () => {
  const project = createShellProject();
  const $ = (argv: string[], options = {}) => onScreen(project, argv, options);
  const silent = await $(['start', '--wait', `run echo '{"type":"turn.completed"}'; exit 0`]);
  expect(silent).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/ completed without an answer; /),
  });
  const killed = $(['start', '--wait', 'hang']);
  const [session] = await eventually('it runs', async () => {
    const rows = await project.list(['--status', 'running']);
    return rows.length > 0 && rows;
  });
  const id = session?.id ?? '';
  await project.ok(['kill', id]);
  const { code, stderr } = await killed;
  expect({ code, stderr }).toEqual({ code: 1, stderr: `zwarm: ${id} killed\n` });
  const json = await $(['inject', id, '--json', 'hang']);
  expect(JSON.parse(json.stdout)).toMatchObject({ id, turn: 2 });
  await project.ok(['kill', id]);
  const started = await $(['inject', id, 'hang'], { tty: true });
  expect(started.stderr).toContain(`turn 3 started; see: zwarm show ${id}`);
});
