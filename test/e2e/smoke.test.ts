import { expect, test } from 'vitest';
import { createProject } from '../helpers/project.ts';

test('a session is started, waited for, continued, shown, listed and removed', async () => {
  const project = createProject();
  const id = await project.start(['say hello']);
  expect(await project.ok(['wait', id])).toBe(`${id} completed`);
  expect(await project.ok(['inject', id, '--wait', 'again'])).not.toBe('');
  const detail = await project.show(id);
  expect(detail.turns.map((turn) => turn.status)).toEqual(['completed', 'completed']);
  expect(project.runs().map((run) => run.stdin)).toEqual(['say hello', 'again']);
  expect((await project.list()).map((row) => row.id)).toEqual([id]);
  expect(await project.ok(['rm', id])).toBe(id);
  expect(await project.list()).toEqual([]);
});
