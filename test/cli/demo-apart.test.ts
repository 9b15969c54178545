import { expect, test } from 'vitest';
import { createProject } from '../helpers/project.ts';

test('the demo leaves the sessions of a project alone that its temporary directory lies in', async () => {
  const project = createProject();
  const ended = await project.start(['mine', '--wait', '--json']).then((text) => JSON.parse(text).id);
  const running = await project.start(['mine too'], { env: { FAKE_AGENT_HANG: '1' } });
  const demo = await project.zwarm(['demo'], { env: { TMPDIR: project.directory } });
  expect(demo).toMatchObject({ code: 0, stderr: '' });
  const rows = await project.list();
  expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
    [ended]: 'completed',
    [running]: 'running',
  });
});
