import { expect, test } from 'vitest';
import { createShellProject } from '../../helpers/project.ts';

test.each([[[]], [['--tree']]])('kill %j takes no id of three letters, but one of four', async (options) => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const kill = (ref: string) => project.zwarm(['kill', ...options, ref]);
  expect(await kill(id.slice(0, 3))).toMatchObject({ code: 3, stdout: '' });
  expect((await project.zwarm(['wait', id, '--timeout', '0'])).code).toBe(124);
  expect((await kill(id.slice(0, 4))).code).toBe(0);
});

test('kill --all says where nothing is running, to a person alone', async () => {
  const project = createShellProject();
  await project.ended();
  const all = (...more: string[]) => project.zwarm(['kill', '--all', ...more], { tty: true });
  expect(await all()).toEqual({ code: 0, stdout: '', stderr: 'nothing is running\n' });
  expect(await all('--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  const id = await project.begin('hang');
  expect(await all('--yes', '--quiet')).toEqual({ code: 0, stdout: `${id}\n`, stderr: '' });
});
